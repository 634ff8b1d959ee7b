// The page's script and style, bundled when somebody first opens the console, and the page that loads them.
import { join } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = ['main.tsx', 'console.css'].map((name) => join(import.meta.dirname, 'pages', name));

export const SHELL = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Membership event bridge</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console.css">
<script type="module" src="/console.js"></script>
</head>
<body><noscript>The console needs JavaScript.</noscript></body>
</html>
`;

type Pages = { script: string; style: string };

let bundled: Promise<Pages> | undefined;

/** `script` and `style` as texts, of the first time that this process has asked for them. */
export const pages = async (): Promise<Pages> => await (bundled ??= bundlePages());

async function bundlePages(): Promise<Pages> {
  const { outputFiles } = await build({
    entryPoints: ENTRIES,
    outdir: 'console',
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}

// Checks the templates of some configurations with cfn-lint, a second opinion beside CloudFormation's own rules.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIGURATIONS } from '../../support/configurations.ts';
import { stacksOf } from '../../infra/synthesized.ts';

/**
 * W3005: the CDK lets a function depend on its role, which it also names. W6001: an output is made of an import; ours
 * are commands, and a name of the data stack is a word in them.
 */
const IGNORED = ['W3005', 'W6001'];

const HELP = `npx node test/tools/templates/lint.ts CFN_LINT

Synthesizes the templates of ${Object.keys(CONFIGURATIONS).length} configurations and checks them with the command CFN_LINT, which is "cfn-lint" by default:

  python3 -m venv .local/cfn-lint && .local/cfn-lint/bin/pip install cfn-lint
  npx node test/tools/templates/lint.ts .local/cfn-lint/bin/cfn-lint`;

function main(command = 'cfn-lint'): number {
  if (command === '--help') {
    console.log(HELP);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  try {
    const paths = Object.entries(CONFIGURATIONS).flatMap(([name, bridge]) => write(folder, name, bridge));
    const { error, status } = spawnSync(command, ['--ignore-checks', ...IGNORED, '--', ...paths], { stdio: 'inherit' });
    if (error !== undefined) {
      console.error(`${command} cannot be started (${error.message}). Install cfn-lint, or name its path.\n\n${HELP}`);
      return 2;
    }
    const verdict = status === 0 ? 'no finding' : 'findings, see above';
    console.log(`cfn-lint, ${paths.length} templates (${Object.keys(CONFIGURATIONS).join(', ')}): ${verdict}.`);
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function write(folder: string, name: string, bridge: unknown): string[] {
  return Object.entries(stacksOf(bridge)).map(([stackName, template]) => {
    const path = join(folder, `${name.replaceAll(' ', '-')}.${stackName}.template.json`);
    writeFileSync(path, JSON.stringify(template));
    return path;
  });
}

process.exitCode = main(process.argv[2]);

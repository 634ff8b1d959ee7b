#!/usr/bin/env node
// What `npx membership-bridge` runs: plain JavaScript, so that even a Node that cannot read TypeScript can say that it is too old.
const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) >= NEEDED) await import('./cli.ts');
else {
  const remedy =
    process.platform === 'darwin'
      ? `Install Node ${NEEDED}, for example by "brew install node@${NEEDED}", and run it again.`
      : 'Run "npm ci", which brings it, and then "npx membership-bridge".';
  process.stderr.write(`Node ${process.versions.node} is too old: this needs Node ${NEEDED}. ${remedy}\n`);
  process.exitCode = 2;
}

// What `npm start` runs: plain JavaScript, so that even a Node that cannot read TypeScript can say that it is too old.
const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) >= NEEDED) await import('./start.ts');
else {
  const remedy =
    process.platform === 'darwin'
      ? `Install Node ${NEEDED}, for example by "brew install node@${NEEDED}", and run npm start again.`
      : 'Run "npm ci", which brings it, and then "npm start".';
  console.error(`Node ${process.versions.node} is too old: the bridge needs Node ${NEEDED}. ${remedy}`);
  process.exitCode = 1;
}

// Plain JavaScript: a Node that is too old to read TypeScript has to read this, and say so.
const NEEDED = 24;

/**
 * Whether this Node can run the bridge; if not, says on standard error what to do before running `command` again.
 * @param {string} command
 */
export function isNodeNewEnough(command) {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED) return true;
  const remedy =
    process.platform === 'darwin'
      ? `Install Node ${NEEDED}, for example with "brew install node@${NEEDED}", and run "${command}" again.`
      : `Run "npm ci", which installs it, and then "${command}".`;
  process.stderr.write(`Node ${process.versions.node} is too old: the bridge needs Node ${NEEDED}. ${remedy}\n`);
  return false;
}

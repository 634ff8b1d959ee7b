// The part of docs/events.md that nobody can derive: what consumers may count on.
export const VERSIONING = `## What may change

\`metadata.version\` is \`"1"\`. As long as it is, consumers can count on this:

- A field that is always there stays, with its name, type and meaning. A field that may be null or absent stays so.
- \`metadata.id\` of the same entry of the same source is the same in every later release.
- The same action key has the same detail type, as long as the setting \`detailTypes\` stays.
- \`actionKey\` is the service's word, verbatim, and \`data\` of an entry what the service gave. Both change when the service changes them, and no version tells of that.

These changes are not breaking, and come with a minor release. **Ignore what you do not know**, as \`parse\` does, and give a \`switch\` or \`on\` a branch for the rest:

- new fields in \`metadata\`, in \`data\` of notices and in EventBridge's envelope;
- new notices, and new values of \`reason\` and \`kind\` in notices. A schema lists the values of its release;
- a type for a new action key of the service, by the wildcards there are. What they do not match is \`OtherActionLogged\`.

These are breaking, and come with a major release only, whose changelog names them:

- **any change of the table from action keys to detail types** that gives a key another type than it had: a rule on a detail type would miss, without a word, what it took before. A new detail type is such a change, because it takes its keys from another;
- a field that is renamed, removed, no longer always there, or of another type or meaning;
- another way to make \`metadata.id\`: what the look-back shows would be published once more, under ids that no consumer remembers.

### How a breaking change is made

**Of the table.** The changelog lists the wildcards that move, and the setting \`detailTypes\` that keeps them where they were (it is asked before the table). So: first deploy the release with that setting, and nothing changes; then have every rule take both types, old and new; then remove the setting; then drop the old type
from the rules. A rule that must not care goes by \`detail.metadata.actionKey\`.

**Of the shape.** It comes as version \`"2"\`, in two releases. The first has a \`parse\` that reads both; consumers take it while the bridge still publishes \`"1"\`. The second publishes \`"2"\`. A consumer that was forgotten does not misread: its \`parse\` refuses
the event and names the version, and the event waits in the consumer's dead-letter queue until it is brought up to date and the queue redriven. The archive keeps events of both, so a replay needs the \`parse\` of the first release or a later one.

**Of the ids.** Not without a reason that outweighs doubles: all that the look-back shows (30 hours, if the settings say no other) comes once more under new ids. The changelog says so, and consumers decide beforehand what doubles do to them.
`;

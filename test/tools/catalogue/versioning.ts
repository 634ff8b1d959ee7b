// The part of docs/events.md that is not generated from the catalogue.
export const VERSIONING = `## What may change

\`metadata.version\` is \`"1"\`. As long as it is, consumers can count on this:

- A field that is always present stays, with its name, type and meaning. A field that may be null or absent stays so.
- \`metadata.id\` of the same entry of the same source is the same in every later release.
- The same action key has the same detail type, as long as the setting \`detailTypes\` stays.
- \`actionKey\` is the service's word, verbatim, and \`data\` of an entry is what the service sent. Both change when the service changes them, and no version
  announces it. Only where the service repeats a secret of the session in an action key or another reference, the metadata has \`sha256:\` and its digest.

These changes are not breaking, and come with a minor release. **Ignore what you do not know**, as \`parse\` does, and give a \`switch\` or \`on\` a branch for
the rest:

- new fields in \`metadata\`, in \`data\` of notices and in EventBridge's envelope;
- new notices, and new values of \`reason\` and \`kind\` in notices. A schema lists the values of its release;
- a type for a new action key of the service, by the existing wildcards. What they do not match is \`OtherActionLogged\`.

These are breaking, and come only with a major release, whose changelog names them:

- **any change of the table from action keys to detail types** that gives a key another type than before. A rule on a detail type would silently miss what it
  matched before. A new detail type is such a change, because it takes its keys from another one;
- a field that is renamed, removed, no longer always present, or of another type or meaning;
- another way to make \`metadata.id\`: everything inside the look-back would be published once more, under ids that no consumer remembers.

### How a breaking change is made

**Of the table.** The changelog lists the wildcards that move, and the setting \`detailTypes\` that keeps them where they were (it takes precedence over the
table). So: first deploy the release with that setting, and nothing changes; then make every rule match both types, old and new; then remove the setting;
then drop
the old type from the rules. A rule that must not depend on this filters on \`detail.metadata.actionKey\`.

**Of the shape.** It comes as version \`"2"\`, in two releases. The first has a \`parse\` that reads both; consumers adopt it while the bridge still publishes
\`"1"\`. The second publishes \`"2"\`. A forgotten consumer does not misread: its \`parse\` refuses the event and names the version, and the event waits in the
consumer's dead-letter queue until you update the consumer and redrive the queue. The archive keeps events of both versions, so a replay needs the \`parse\`
of the
first release or a later one.

**Of the ids.** Only for a reason that outweighs duplicates: everything inside the look-back (30 hours by default) comes once more under new ids. The
changelog says
so, and consumers decide beforehand what duplicates do to them.
`;

// The failures of the fault matrix. Each has happened to somebody who polls an API or pushes events.

export type Scenario = {
  /** S: reading the source. D: delivering. */
  number: string;
  /** What happens to the bridge. */
  failure: string;
  /** The planned feature, if it does not exist yet. */
  later?: string;
  /** A note in the matrix. */
  note?: string;
};

const WEBHOOKS = 'signed webhooks';

const READING: readonly (readonly [failure: string, more?: Omit<Scenario, 'number' | 'failure'>])[] = [
  ['the process or the bus fails after a page was fetched and before its events were accepted'],
  ['many entries share one timestamp, over several pages and polls, and another one appears later'],
  ['an entry appears minutes after newer ones were read'],
  ['an entry is dated hours ahead'],
  ['pages come newest first and one in the middle fails'],
  ['entries come in no order, or in another order with every request'],
  ['a continuation would be sent with other parameters than those that it belongs to'],
  ['the filters of a source are changed while a walk is open'],
  ['a page is empty and yet has a continuation'],
  ['a continuation comes with the last entry too'],
  ['the continuation never changes'],
  ['continuations form a cycle, or are always new and bring nothing', { note: 'The alarm is "no successful poll".' }],
  ['the end of a walk is null, a missing field, an empty text, a blank or the word null'],
  ['continuations have characters that mean something in a URL, or are not ASCII'],
  ['a continuation has 12,000 characters, or is too long for the service itself'],
  ['a continuation is refused, immediately or after a while'],
  ['the service answers with an error, HTML, half an answer, or an envelope without data'],
  ['ids and continuations are numbers that a double cannot hold'],
  ['the service gives smaller pages than asked for, or refuses the page size'],
  ['a window would be requested with other dates on its later pages'],
  ['entries have no id, and two of them are identical'],
  ['two organisations use the same id, or ids appear under another name'],
  ['stamps have no offset, and filters treat offsets in three ways'],
  ['the clocks go back or forward'],
  ['stamps have every form, or are missing or invalid'],
  ['the clock of the service is five minutes off'],
  ['nothing happens for forty days'],
  [
    'the bridge is off for longer than its look-backs',
    {
      note: 'A gap is reported after 14 days less the reconcile look-back. A log that the service keeps for less looks like a quiet one (A15).',
    },
  ],
  [
    '429, with Retry-After in any form, or without it',
    {
      note: 'Pauses between runs are drawn from the upper half of a range that doubles, retries inside a call from all of it.',
    },
  ],
  ['403', { note: 'The alarm is "no successful poll", which watches SuccessfulPoll.' }],
  ['the account is shared with others, and requests are rationed'],
  ['the token is refused in the middle of paging'],
  ['the token expires in a long drain, or has an odd lifetime'],
  ['the password is refused', { note: 'The alarm is "credentials refused", which watches CredentialsRefused.' }],
  ['the secret is changed under a running process'],
  ['several requests need a token at the same time'],
  ['an answer is empty, of the wrong type, badly compressed, or 50 MB large'],
  ['the service hangs, or sends single bytes slowly'],
  ['the service redirects to another host'],
  ['the bus takes some entries of a batch and fails others'],
  [
    'the bus refuses an entry for good',
    {
      note: 'The alarm is "entries in quarantine", which watches Quarantined.',
    },
  ],
  ['batches reach the limits of the bus'],
  ['the bus was deleted, and publishing to it reports success'],
  ['one entry of a hundred is poison'],
  ['the answer to a publish or to a write of the state is lost'],
  ['tens of thousands of entries are in the overlap'],
  ['the bus is down for a day'],
  ['two runs overlap'],
  ['a run is frozen until after its lease'],
  ['the run that holds the lease dies'],
  ['there is more to read than one run can'],
  [
    'there is more to read than fits into memory',
    { note: 'Here 50,000 entries in 256 MB; a million are drained by the benchmarks.' },
  ],
  ['the bridge runs for the first time'],
  ['the stack is deployed again, renamed, or removed'],
  ['somebody only wants to look: a probe, a dry run', { later: "the operator's doctor" }],
  ['something has to be read again during live polling'],
  ['one of two sources hangs or is refused'],
  ['a run fails and nobody notices'],
  ['the platform retries failed ticks by itself'],
  ["the bridge's own logins are entries of the log"],
  ['a service without continuations shows the newest, or the oldest, of a burst of 100,000, in any order'],
  ["the log's `id` is the record's: another entry has it seconds, hours or days later"],
  ['the configured time zone is ahead of the one that the service writes'],
  ["a page does not fit into the function's memory"],
];

const DELIVERING: readonly (readonly [failure: string, later?: string])[] = [
  ['a webhook points into the own network, in any spelling', WEBHOOKS],
  ['a name resolves to another address after it was checked', WEBHOOKS],
  ['a receiver redirects', WEBHOOKS],
  ['a receiver is slow, sends single bytes, or answers with too much', WEBHOOKS],
  ['a receiver asks to wait', WEBHOOKS],
  ['a receiver is gone for good', WEBHOOKS],
  ['one endpoint of several is dead for a day', WEBHOOKS],
  ['the process dies after the receiver has accepted', WEBHOOKS],
  ['the signing secret is rotated', WEBHOOKS],
  ['a body has text with more than one encoding', WEBHOOKS],
  ['Slack limits, misses, or disables a webhook'],
  ['ten thousand events in a minute'],
  ["a member's name is Slack markup"],
  ["a member's name is HTML, or has line breaks"],
  ['a consumer gets the same event twice'],
  ['the archive is replayed'],
  ['the audit copy is tampered with'],
  ['a target of a rule does not accept an event'],
  ['a consumer throws'],
];

/** The numbers between are kept for failures of features to come. */
const LATER_NUMBERS: readonly Scenario[] = [
  { number: 'D20', failure: "an address in any range of IANA's special-purpose registries", later: WEBHOOKS },
  { number: 'D21', failure: 'every attempt of a delivery has failed', later: WEBHOOKS },
  { number: 'D22', failure: 'a receiver accepts after the deadline', later: WEBHOOKS },
  { number: 'D23', failure: 'one endpoint of thirty gets fifty events a second', later: WEBHOOKS },
  { number: 'D24', failure: 'the secret of the endpoints is not filled, malformed, deleted', later: WEBHOOKS },
  { number: 'D25', failure: 'an endpoint is removed while deliveries wait', later: WEBHOOKS },
  { number: 'D26', failure: 'the clock of the sender is off by ten minutes', later: WEBHOOKS },
  { number: 'D27', failure: 'a receiver echoes the body or the signature into its answer', later: WEBHOOKS },
  { number: 'D28', failure: 'an event is larger than a receiver takes', later: WEBHOOKS },
  { number: 'D29', failure: 'a replay of the archive, and a backfill, for endpoints', later: WEBHOOKS },
  { number: 'D30', failure: 'Teams: 429, 4xx, formatting in names, mentions' },
  { number: 'D31', failure: "a consumer's folder has a wrong definition, a name that is taken, or no handler" },
  {
    number: 'D32',
    failure: 'a copy for the audit is altered where no line, no count and no hash shows it at first sight',
  },
  { number: 'D33', failure: 'a web page, or another user of the machine, calls a port of `npm start`' },
  { number: 'D34', failure: 'a template with null anywhere, such as in a pattern that is an object' },
  { number: 'D36', failure: 'items and events of an earlier version: its tables, its archive, its running sources' },
  {
    number: 'D37',
    failure: 'a destination is added, changed, removed while events flow; two operators at once; the deliverer killed',
    later: WEBHOOKS,
  },
  { number: 'D38', failure: 'the key of an API that a consumer calls is not set, changed, or refused' },
  { number: 'D39', failure: 'an API that a consumer calls refuses, limits, fails, or does not answer' },
  {
    number: 'D40',
    failure: 'a secret that `npm start` keeps is read by somebody else, or is the password of a source',
  },
];

const numbered = (kind: 'S' | 'D', index: number): string => `${kind}${String(index + 1).padStart(2, '0')}`;

export const SCENARIOS: readonly Scenario[] = [
  ...READING.map(([failure, more], index) => ({ number: numbered('S', index), failure, ...more })),
  { number: 'S65', failure: 'a tick fails, is refused, hangs, comes late, comes twice, meets a sweep' },
  { number: 'S66', failure: 'a message on the queue of ticks from anybody else, with settings of its own' },
  { number: 'S67', failure: 'the queue of ticks refuses, doubles, delays by minutes' },
  { number: 'S68', failure: 'the bus refuses a notice at the moment a fact is learned' },
  { number: 'S69', failure: 'two commands of operators at once, or one during a run' },
  { number: 'S70', failure: 'the continuation is null on every page although there is more' },
  { number: 'S71', failure: 'a stored continuation is answered with 5xx, 401, 403 or an invalid page, for ever' },
  {
    number: 'S72',
    failure:
      "one wrong end, where nobody reads the window again: a null in mid-walk, an empty page, another organisation's page",
  },
  { number: 'S73', failure: 'two servers write one entry with an id differently' },
  { number: 'S74', failure: 'an upgrade of the service changes how ids or times are written' },
  { number: 'S75', failure: 'positions by offset under deletions, insertions and replicas' },
  { number: 'S76', failure: 'entries of another organisation' },
  {
    number: 'S77',
    failure: 'a run is killed in its first login, or the service takes a new password only a minute later',
  },
  { number: 'S78', failure: 'the Date header, or the clock of the service as a whole, is wrong by hours' },
  { number: 'S79', failure: 'a field of entries whose name says UTC, in an organisation of another zone' },
  {
    number: 'S80',
    failure: 'whoever may invoke a function or write the state names another service, secret, source or settings',
  },
  { number: 'S82', failure: 'who may pause a source uses that right to write its state, its ledger or its quarantine' },
  ...DELIVERING.map(([failure, later], index) => ({
    number: numbered('D', index),
    failure,
    ...(later === undefined ? {} : { later }),
  })),
  ...LATER_NUMBERS,
];

// Where webhooks go: what became of each attempt, and how one of them is signed, step by step.
import { useState } from 'preact/hooks';
import type { DestinationRow, SignedWebhook } from '../messages.ts';
import { ask } from './api.ts';
import { Badge, Card, Change, counted, Failure, Foreign, ForeignLines, Nothing, Time, useLoaded } from './parts.tsx';

const RELOADS_EVERY_MS = 2_000;
/** A browser draws more only slowly. */
const SHOWN_CHARACTERS = 5_000;

export function Destinations() {
  const { value, failure, reload } = useLoaded(
    async () => await ask<DestinationRow[]>('/api/destinations'),
    RELOADS_EVERY_MS,
  );
  return (
    <>
      <p class="quiet">
        Events go to addresses outside of AWS: as signed HTTP requests, which are tried again for 75 hours, or in
        batches of the audit copy, until they are taken.
      </p>
      <Failure text={failure} />
      {value?.length === 0 && (
        <Nothing>
          This run has no destination. Start it with <code>npm start -- --webhook http://127.0.0.1:3000/hook</code>, and{' '}
          <code>npm run webhook-receiver</code> in another terminal; or forward to a system of auditors that runs here:{' '}
          <code>npm start -- --forward splunk</code>.
        </Nothing>
      )}
      {value?.map((row) => (
        <Destination key={row.name} row={row} onDone={reload} />
      ))}
    </>
  );
}

function Destination({ row, onDone }: { row: DestinationRow; onDone: () => void }) {
  const { name, url, isSigned, deliveries, due, dead, notBefore } = row;
  const [chosen, setChosen] = useState<Attempt | null>(null);
  return (
    <Card title={name} aside={<State row={row} />}>
      <p>
        <Foreign text={url} />
      </p>
      <p role="status">
        {due === 0 ? 'Nothing waits' : `Waiting: ${counted(due, 'event')}`}
        {dead === 0 ? '' : `, ${counted(dead, 'event')} given up`}.
        {notBefore !== null && notBefore > Date.now() && (
          <>
            {' '}
            It asked to wait until <Time at={notBefore} />.
          </>
        )}
      </p>
      {chosen && <Explained key={`${chosen.eventId} ${chosen.at}`} chosen={chosen} name={name} onDone={onDone} />}
      {deliveries.length === 0 ? (
        <Nothing>Nothing was sent yet. Each event appears here by itself.</Nothing>
      ) : (
        <Attempts deliveries={deliveries} onChoose={isSigned ? setChosen : null} />
      )}
    </Card>
  );
}

type Attempt = DestinationRow['deliveries'][number];

function State({ row: { halt, failingSince } }: { row: DestinationRow }) {
  if (halt !== null) return <Badge tone="bad">{halt.kind}</Badge>;
  return failingSince === null ? <Badge tone="good">works</Badge> : <Badge tone="bad">fails</Badge>;
}

type AttemptsProps = { deliveries: readonly Attempt[]; onChoose: ((one: Attempt) => void) | null };

function Attempts({ deliveries, onChoose }: AttemptsProps) {
  return (
    <table tabIndex={0}>
      <caption class="quiet">The newest attempts</caption>
      <thead>
        <tr>
          {['At', 'Event', 'Attempt', 'Answer', 'Took', 'Next', ''].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {deliveries.map((one) => (
          <tr key={`${one.eventId} ${one.at} ${one.attempt}`}>
            <td>
              <Time at={one.at} />
            </td>
            <td>{one.detailType}</td>
            <td>{one.attempt}</td>
            <td>
              <Badge tone={one.outcome === 'delivered' ? 'good' : 'bad'}>{one.status ?? 'none'}</Badge>{' '}
              <Foreign text={(one.answer ?? '').slice(0, 40)} />
            </td>
            <td>{one.durationMs} ms</td>
            <td>{one.nextAt === null ? '' : <Time at={one.nextAt} />}</td>
            <td>
              {onChoose && (
                <button
                  type="button"
                  class="small"
                  aria-label={`How ${one.eventId} was signed`}
                  onClick={() => onChoose(one)}
                >
                  Signature
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type ExplainedProps = { chosen: Attempt; name: string; onDone: () => void };

function Explained({ chosen: { eventId, at }, name, onDone }: ExplainedProps) {
  const { value, failure } = useLoaded(
    async () => await ask<SignedWebhook>(`/api/destinations/signed/${encodeURIComponent(eventId)}/${at}`),
    2 ** 31 - 1,
  );
  return (
    <section aria-label="How it was signed">
      <h3>How it was signed</h3>
      <Failure text={failure} />
      {value && <Steps signed={value} />}
      <div class="actions">
        <Change label="Send it again" args={['destinations', 'redeliver', name, eventId]} onDone={onDone} />
      </div>
    </section>
  );
}

function Steps({ signed: { id, seconds, body, signature } }: { signed: SignedWebhook }) {
  const shown = body.length > SHOWN_CHARACTERS ? `${body.slice(0, SHOWN_CHARACTERS)}…` : body;
  return (
    <ol>
      <li>
        The key: what follows <code>whsec_</code> in the secret, decoded from base64, is 32 bytes.
      </li>
      <li>
        The text: the headers <code>webhook-id</code> and <code>webhook-timestamp</code> (seconds since 1970) and the
        body as it came, with a dot between them. Parse the body afterwards: another space is another signature. The
        time is that of the log; the request's own may be a second later.
        <pre tabIndex={0} aria-label="The signed text">
          <ForeignLines text={`${id}.${seconds}.${shown}`} />
        </pre>
      </li>
      <li>
        HMAC-SHA256 of the text with the key, as base64, after <code>v1,</code>. This is the header{' '}
        <code>webhook-signature</code>; during a rotation there are two, and one has to fit.
        <pre tabIndex={0} aria-label="The signature">
          {signature}
        </pre>
      </li>
      <li>
        Refuse a timestamp more than five minutes from now, compare in constant time, answer 2xx within five seconds,
        and remember the <code>webhook-id</code>: the same event may come twice.
      </li>
    </ol>
  );
}

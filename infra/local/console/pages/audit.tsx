// The audit copy: a calendar of what is sealed, its verification, and the newest events in it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuditView, JsonReport } from '../messages.ts';
import { ask, commandJson } from './api.ts';
import { Calendar, dayOf, named } from './calendar.tsx';
import { Badge, Card, counted, Failure, Foreign, ForeignLines, Nothing, Time, useLoaded } from './parts.tsx';

const RELOADS_EVERY_MS = 5_000;

type Source = AuditView['sources'][number];

export function Audit() {
  const { value, failure } = useLoaded(async () => await ask<AuditView>('/api/audit'), RELOADS_EVERY_MS);
  if (value === null) return failure === null ? <Nothing>Reading the audit copy…</Nothing> : <Failure text={failure} />;
  const { copy } = value;
  if (copy === null)
    return (
      <Nothing>
        There is no audit copy: the setting <code>audit</code> is off. Write <code>"audit": {'{}'}</code> into cdk.json,
        or start with <code>npm start -- --consumers</code>.
      </Nothing>
    );
  return (
    <>
      <p class="quiet">
        Every event is copied into files. When a day (UTC) is over and was read for the last time, some 36 hours after
        its end, it is sealed: from then on anybody can prove that no line of it is missing, added or changed.
      </p>
      <Failure text={failure} />
      {value.sources.map((source) => (
        <Sealed key={source.sourceId} source={source} view={value} copy={copy} />
      ))}
      <Newest view={value} />
    </>
  );
}

function Sealed({ source, view, copy }: { source: Source; view: AuditView; copy: readonly string[] }) {
  const { sourceId, seals } = source;
  const [chosen, setChosen] = useState<string | null>(null);
  const [checked, setChecked] = useState<JsonReport | string | null>(null);
  const args = ['audit', 'verify', ...copy, '--source', sourceId];
  const verify = async (): Promise<void> => {
    setChecked('Reading the whole copy…');
    setChecked(await commandJson<JsonReport>(...args).catch((error: Error) => error.message));
  };
  const findings = checked === null || typeof checked === 'string' ? [] : checked.findings;
  return (
    <Card title={sourceId} aside={<Badge tone="quiet">{counted(Object.keys(seals).length, 'day')} sealed</Badge>}>
      <div class="pair">
        <Calendar source={source} findings={findings} chosen={chosen} onChoose={setChosen} />
        {chosen !== null && <Day key={chosen} day={chosen} source={source} view={view} findings={findings} />}
      </div>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void verify()}>
          Verify now
        </button>
      </div>
      <div role="status">{checked !== null && <Verdict checked={checked} />}</div>
      <p class="quiet">
        In a terminal: <code>npx membership-bridge {args.join(' ')}</code>
      </p>
    </Card>
  );
}

/** By the exit codes of the command. */
const TOLD: Readonly<Record<JsonReport['code'], string>> = {
  0: 'Nothing is missing, added or changed in what is sealed.',
  1: 'Something is missing, added or changed. The days are marked; the report says what to do.',
  2: 'It could not be checked.',
  3: 'Nothing is missing or changed, but nothing proves some lines.',
  4: 'Nothing contradicts the copy, but nobody knows whether its end is there.',
};

function Verdict({ checked }: { checked: JsonReport | string }) {
  if (typeof checked === 'string') return <p>{checked}</p>;
  const { code, verdict, findings, report } = checked;
  const undated = findings.filter(({ day }) => day === null);
  return (
    <>
      <p>
        <Badge tone={code === 0 ? 'good' : 'bad'}>
          {code === 0 ? 'complete' : counted(findings.length, 'finding')}
        </Badge>{' '}
        {TOLD[code]}
      </p>
      <p>
        In its own words: <Foreign text={verdict} />
      </p>
      <Findings findings={undated} />
      <details>
        <summary>The whole report</summary>
        <pre>
          <ForeignLines text={report} />
        </pre>
      </details>
    </>
  );
}

const FINDINGS_SHOWN = 20;

function Findings({ findings }: Pick<JsonReport, 'findings'>) {
  if (findings.length === 0) return null;
  return (
    <ul class="problems">
      {findings.slice(0, FINDINGS_SHOWN).map(({ heading, name, how }) => (
        <li key={`${heading} ${name}`}>
          <Foreign text={[heading, name, how].filter((part) => part !== '').join(': ')} />
        </li>
      ))}
      {findings.length > FINDINGS_SHOWN && <li>and {counted(findings.length - FINDINGS_SHOWN, 'more', 'more')}</li>}
    </ul>
  );
}

type DayProps = Pick<JsonReport, 'findings'> & { day: string; source: Source; view: AuditView };

function Day({ day, source: { seals }, view: { objects }, findings }: DayProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { count = 0, bytes = 0 } = objects[day] ?? {};
  const own = seals[day] ?? [];
  const isOver = day < dayOf(Date.now());
  return (
    <section aria-label="The chosen day">
      <h3 ref={heading} tabIndex={-1}>
        {named(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })}
      </h3>
      <Findings findings={findings.filter((found) => found.day === day)} />
      {own.length === 0 && <p>{isOver ? 'It is over, and not sealed yet.' : 'It is not over yet.'}</p>}
      {own.map(({ number, amendment, entries, quarantined, sealedAt, digest, manifest }) => (
        <dl class="facts" key={number}>
          <dt>{amendment === 0 ? 'Sealed' : 'Came late, sealed'}</dt>
          <dd>
            {counted(entries, 'entry', 'entries')}
            {quarantined > 0 && `, ${quarantined} of them in quarantine`}, <Time at={sealedAt} />, in checkpoint{' '}
            {number}
          </dd>
          <dt>List of its entries</dt>
          <dd>{manifest === null ? 'none: the day is empty' : <code>{manifest}</code>}</dd>
          <dt>SHA-256 of the list</dt>
          <dd>
            <code>{digest}</code>
          </dd>
        </dl>
      ))}
      {count > 0 && (
        <p>
          On this day {counted(count, 'file')} with events {count === 1 ? 'was' : 'were'} written, {sizeText(bytes)}.
        </p>
      )}
    </section>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function Newest({ view: { newest, buffered, folder } }: { view: AuditView }) {
  return (
    <Card title="Newest events of the copy" aside={<Badge tone="quiet">{buffered} buffered</Badge>}>
      <p>
        AWS collects events for a minute before it writes a file. On this machine the files are in <code>{folder}</code>
        .
      </p>
      {newest.length === 0 && <Nothing>Nothing was copied yet.</Nothing>}
      <ul class="failures">
        {newest.map(({ at, detailType, what, id, key }) => (
          <li key={`${id} ${key}`}>
            <Foreign text={`${at} ${detailType} ${what}`} /> <code class="quiet">{id}</code>
            <br />
            <span class="quiet">{key === null ? 'buffered' : key}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

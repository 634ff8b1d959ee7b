// The audit copy: a calendar of what is sealed, its verification, and the newest events in it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuditView, JsonReport } from '../messages.ts';
import { ask, commandJson } from './api.ts';
import { Badge, Card, counted, Failure, Foreign, Nothing, Time, useLoaded } from './parts.tsx';

const RELOADS_EVERY_MS = 5_000;
const DAY_MS = 86_400_000;
const DAYS_OF_WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

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
        <pre>{report.split('\n').map((line) => [<Foreign text={line} />, '\n'])}</pre>
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

type CalendarProps = Pick<JsonReport, 'findings'> & {
  source: Source;
  chosen: string | null;
  onChoose: (day: string) => void;
};

/** What a sign says, and nothing by colour alone. */
const SIGNS = { sealed: '✓ sealed', open: '○ not sealed yet', finding: '! finding' } as const;

/** A month, by weeks from Monday. Arrow keys move between its days. */
function Calendar({ source: { since, seals }, findings, chosen, onChoose }: CalendarProps) {
  const today = dayOf(Date.now());
  const sealed = Object.keys(seals).toSorted();
  const [month, setMonth] = useState((sealed.at(-1) ?? today).slice(0, 7));
  const openFrom = sealed.at(-1) ?? since?.slice(0, 10) ?? null;
  const stateOf = (day: string): keyof typeof SIGNS | null => {
    if (findings.some((found) => found.day === day)) return 'finding';
    if (day in seals) return 'sealed';
    return openFrom !== null && day >= openFrom && day <= today ? 'open' : null;
  };
  const saidOf = (day: string, state: keyof typeof SIGNS): string => {
    const entries = (seals[day] ?? []).reduce((sum, seal) => sum + seal.entries, 0);
    const found = findings.filter((one) => one.day === day).length;
    if (state === 'finding') return counted(found, 'finding');
    return state === 'open' ? 'not sealed yet' : `sealed, ${counted(entries, 'entry', 'entries')}`;
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
    const { day } = (event.target as HTMLElement).dataset;
    if (step === undefined || day === undefined) return;
    event.preventDefault();
    const table = event.currentTarget as HTMLElement;
    table.querySelector<HTMLElement>(`[data-day="${shifted(day, step)}"]`)?.focus();
  };
  return (
    <div>
      <div class="actions">
        <button type="button" onClick={() => setMonth(monthFrom(month, -1))}>
          Previous month
        </button>
        <button type="button" disabled={month >= today.slice(0, 7)} onClick={() => setMonth(monthFrom(month, 1))}>
          Next month
        </button>
      </div>
      <table class="calendar" onKeyDown={move}>
        <caption aria-live="polite">
          <b>{named(`${month}-01`, { month: 'long', year: 'numeric' })}</b> {Object.values(SIGNS).join(', ')}
        </caption>
        <thead>
          <tr>
            {DAYS_OF_WEEK.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => {
                const state = day.startsWith(month) ? stateOf(day) : null;
                const number = day.startsWith(month) ? Number(day.slice(8)) : '';
                return (
                  <td key={day} class={state ?? ''} aria-current={day === today ? 'date' : undefined}>
                    {state === null ? (
                      number
                    ) : (
                      <button type="button" data-day={day} aria-pressed={day === chosen} onClick={() => onChoose(day)}>
                        {number} <span aria-hidden="true">{SIGNS[state][0]}</span>
                        <span class="unseen">
                          {named(day, { month: 'long' })}: {saidOf(day, state)}
                        </span>
                      </button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function shifted(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS);
}

function monthFrom(month: string, by: 1 | -1): string {
  return shifted(`${month}-15`, by * 30).slice(0, 7);
}

function named(day: string, format: Intl.DateTimeFormatOptions): string {
  return new Date(day).toLocaleDateString('en-GB', { ...format, timeZone: 'UTC' });
}

function weeksOf(month: string): string[][] {
  const first = `${month}-01`;
  const monday = shifted(first, -((new Date(first).getUTCDay() + 6) % 7));
  const weeks = Array.from({ length: 6 }, (_, week) =>
    DAYS_OF_WEEK.map((_name, day) => shifted(monday, week * 7 + day)),
  );
  return weeks.filter((week) => week.some((day) => day.startsWith(month)));
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

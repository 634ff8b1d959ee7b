// Days of the audit copy by month: sealed, not sealed yet, with findings.
import { useState } from 'preact/hooks';
import type { AuditView, JsonReport } from '../messages.ts';
import { counted } from './parts.tsx';

const DAY_MS = 86_400_000;
const DAYS_OF_WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

type CalendarProps = Pick<JsonReport, 'findings'> & {
  source: AuditView['sources'][number];
  chosen: string | null;
  onChoose: (day: string) => void;
};

/** What a sign says, and nothing by colour alone. */
const SIGNS = { sealed: '✓ sealed', open: '○ not sealed yet', finding: '! finding' } as const;

/** A month, by weeks from Monday. Arrow keys move between its days. */
export function Calendar({ source: { since, seals }, findings, chosen, onChoose }: CalendarProps) {
  const today = dayOf(Date.now());
  const sealed = Object.keys(seals).toSorted();
  const [month, setMonth] = useState((sealed.at(-1) ?? today).slice(0, 7));
  const openFrom = sealed.at(-1) ?? since?.slice(0, 10) ?? null;
  const days = { seals, findings, openFrom, today };
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
      <table class="calendar" onKeyDown={(event) => moveFocus(event, month)}>
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
              {week.map((day) => (
                <td
                  key={day}
                  class={(isIn(day, month) && stateOf(day, days)) || ''}
                  aria-current={day === today ? 'date' : undefined}
                >
                  {isIn(day, month) && <Day day={day} days={days} isChosen={day === chosen} onChoose={onChoose} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Days = Pick<CalendarProps, 'findings'> & {
  seals: CalendarProps['source']['seals'];
  /** The first day that is not sealed yet; null where nothing is. */
  openFrom: string | null;
  today: string;
};
type State = keyof typeof SIGNS;

function isIn(day: string, month: string): boolean {
  return day.startsWith(month);
}

function stateOf(day: string, { seals, findings, openFrom, today }: Days): State | null {
  if (findings.some((found) => found.day === day)) return 'finding';
  if (day in seals) return 'sealed';
  return openFrom !== null && day >= openFrom && day <= today ? 'open' : null;
}

function saidOf(day: string, state: State, { seals, findings }: Days): string {
  const entries = (seals[day] ?? []).reduce((sum, seal) => sum + seal.entries, 0);
  const found = findings.filter((one) => one.day === day).length;
  if (state === 'finding') return counted(found, 'finding');
  return state === 'open' ? 'not sealed yet' : `sealed, ${counted(entries, 'entry', 'entries')}`;
}

type DayProps = Pick<CalendarProps, 'onChoose'> & { day: string; days: Days; isChosen: boolean };

function Day({ day, days, isChosen, onChoose }: DayProps) {
  const number = Number(day.slice(8));
  const state = stateOf(day, days);
  if (state === null) return <>{number}</>;
  return (
    <button type="button" data-day={day} aria-pressed={isChosen} onClick={() => onChoose(day)}>
      {number} <span aria-hidden="true">{SIGNS[state][0]}</span>
      <span class="unseen">
        {named(day, { month: 'long' })}: {saidOf(day, state, days)}
      </span>
    </button>
  );
}

function moveFocus(event: KeyboardEvent, month: string): void {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
  const { day } = (event.target as HTMLElement).dataset;
  if (step === undefined || day === undefined) return;
  event.preventDefault();
  const table = event.currentTarget as HTMLElement;
  // A day without entries has no button.
  for (let next = shifted(day, step); next.startsWith(month); next = shifted(next, step)) {
    const button = table.querySelector<HTMLElement>(`[data-day="${next}"]`);
    if (button !== null) return button.focus();
  }
}

/** UTC, as YYYY-MM-DD. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function shifted(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS);
}

function monthFrom(month: string, by: 1 | -1): string {
  return shifted(`${month}-15`, by * 30).slice(0, 7);
}

export function named(day: string, format: Intl.DateTimeFormatOptions): string {
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

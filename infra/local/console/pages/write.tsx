// A form for each documented write of the local membership service.
import { useEffect, useState } from 'preact/hooks';
import type { Choice, MakeOffer, WriteAnswer } from '../messages.ts';
import { printable } from '../../../../functions/shared/printable.ts';
import { ask } from './api.ts';
import { Badge, Card, Failure, ForeignLines, Form, ONCE, spanText, useLoaded, useRun } from './parts.tsx';

type Offered = MakeOffer['writes'][number];

export function Write({ writes, anyContact }: Pick<MakeOffer, 'writes' | 'anyContact'>) {
  const [name, setName] = useState(writes[0]?.name);
  const chosen = writes.find((write) => write.name === name);
  return (
    <Card title="A request to the service">
      <p class="quiet">
        Every documented write, as any program may send it. It goes to the local service, with its own login. No field
        of a record is documented: the names in the example are those of this personality.
      </p>
      <label>
        Operation
        <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
          {writes.map((write) => (
            <option key={write.name} value={write.name}>
              {write.purpose}: {write.name}
            </option>
          ))}
        </select>
      </label>
      {chosen && <Request key={name} write={chosen} anyContact={anyContact} />}
    </Card>
  );
}

function Request({ write, anyContact }: { write: Offered; anyContact: string }) {
  const { name, resource, method, path, needsId, body: example } = write;
  const isAbout = example?.includes(anyContact) ?? false;
  const [id, setId] = useState('');
  const [member, setMember] = useState(anyContact);
  const [body, setBody] = useState(example);
  const [answer, setAnswer] = useState<WriteAnswer | null>(null);
  const { failure, isBusy, run } = useRun();
  const records = useChoices(needsId ? resource : null, answer);
  const contacts = useChoices(isAbout ? 'contacts' : null, null);
  const choose = (contactId: string): void => {
    setBody((before) => before?.replaceAll(member, contactId) ?? null);
    setMember(contactId);
  };
  const isChosen = records.some((one) => one.id === id);
  useEffect(() => setId((isChosen ? id : records[0]?.id) ?? ''), [records]);
  useEffect(() => {
    if (member === anyContact && contacts[0] !== undefined) choose(contacts[0].id);
  }, [contacts]);
  const send = (): Promise<void> =>
    run(async () => setAnswer(await ask<WriteAnswer>('/api/make/write', { name, id: needsId ? id : '-', body })));
  return (
    <>
      <p>
        <code>
          {method} {path}
        </code>
      </p>
      <Form label="A request" onSubmit={send}>
        {needsId && <Choose label="Which one" choices={records} value={id} onChoose={setId} />}
        {isAbout && <Choose label="About whom" choices={contacts} value={member} onChoose={choose} />}
        {body !== null && (
          <label class="wide">
            Body (at most 100,000 characters)
            <textarea
              rows={body.split('\n').length}
              maxLength={100_000}
              spellcheck={false}
              value={body}
              onInput={(event) => setBody(event.currentTarget.value)}
            />
          </label>
        )}
        <button disabled={isBusy || (needsId && id === '')}>Send</button>
      </Form>
      <Failure text={failure} />
      <div role="status">{failure === null && answer && <Answer answer={answer} />}</div>
    </>
  );
}

function Answer({ answer: { status, tookMs, text } }: { answer: WriteAnswer }) {
  return (
    <>
      <p>
        <Badge tone={status < 300 ? 'good' : 'bad'}>{status}</Badge> in {spanText(tookMs)}
      </p>
      <pre tabIndex={0} aria-label="The answer">
        <ForeignLines text={text === '' ? 'No content.' : pretty(text)} />
      </pre>
    </>
  );
}

type ChooseProps = { label: string; choices: readonly Choice[]; value: string; onChoose: (id: string) => void };

function Choose({ label, choices, value, onChoose }: ChooseProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {printable(choice.label)}
          </option>
        ))}
      </select>
    </label>
  );
}

const NO_CHOICES: Choice[] = [];

/** Again after each answer, which may have changed them. */
function useChoices(resource: string | null, after: WriteAnswer | null): Choice[] {
  const { value } = useLoaded(
    async () => (resource === null ? NO_CHOICES : await ask<Choice[]>(`/api/make/choices/${resource}`)),
    ONCE,
    [after],
  );
  return value ?? NO_CHOICES;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

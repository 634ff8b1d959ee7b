// Where the key of the run is missing, or a link has a wrong one: where the right one is, and a field for it.
import { useRef, useState } from 'preact/hooks';
import { storeKey } from './api.ts';
import { Failure } from './parts.tsx';

/** `why` ends with a full stop. */
export function KeyForm({ why }: { why: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const take = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    await storeKey(field.current?.value ?? '').then(
      () => location.reload(),
      (error: Error) => setFailure(error.message),
    );
  };
  return (
    <form class="card" onSubmit={(event) => void take(event)}>
      <p>
        {why} The right one is in the terminal where npm start runs, at the end of the address in its line “console”:
        each start has a new one.
      </p>
      <label>
        Key of the run, or the whole address
        <input ref={field} required autocomplete="off" spellcheck={false} />
      </label>
      <Failure text={failure} />
      <div class="actions">
        <button class="primary">Open the console</button>
      </div>
    </form>
  );
}

// A section of the documents, where something on a page needs an explanation.
import { useState } from 'preact/hooks';
import { type GuideSection, plain } from '../../terminal/guide.ts';
import { ask } from './api.ts';

type Wanted = { document: 'operating' | 'service'; title: string; label: string };

/** Loaded when it is opened. */
export function Guide({ document, title, label }: Wanted) {
  const [section, setSection] = useState<GuideSection | null>(null);
  const load = (): void => {
    const query = new URLSearchParams({ document, title });
    void ask<GuideSection>(`/api/guide?${query}`).then(setSection, (error: Error) =>
      setSection({ title, text: error.message }),
    );
  };
  return (
    <details class="guide" onToggle={() => section ?? load()}>
      <summary>{label}</summary>
      {section?.text
        .split(/\n\n+/)
        .map((part) =>
          part.startsWith('```') ? (
            <pre key={part}>{part.split('\n').slice(1, -1).join('\n')}</pre>
          ) : (
            <p key={part}>{plain(part).replaceAll('`', '')}</p>
          ),
        )}
    </details>
  );
}

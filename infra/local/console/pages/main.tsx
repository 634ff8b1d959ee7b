// The console's frame: its menu, the page that is open, and what is to be said when the run does not answer.
import { render } from 'preact';
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks';
import { PAGES, type PagePath } from '../paths.ts';
import { type LinkKey, takeKey } from './api.ts';
import { Audit } from './audit.tsx';
import { Consumers } from './consumers.tsx';
import { Destinations } from './destinations.tsx';
import { Events } from './events.tsx';
import { KeyForm } from './key.tsx';
import { connect, type Live, useLive } from './live.ts';
import { Make } from './make.tsx';
import { Outbox } from './outbox.tsx';
import { Overview } from './overview.tsx';
import { Badge, ChangeDialog, Failure } from './parts.tsx';
import { Quarantine } from './quarantine.tsx';
import { Service } from './service.tsx';

const CONTENT: Readonly<Partial<Record<PagePath, () => preact.JSX.Element>>> = {
  '/': Overview,
  '/events': Events,
  '/destinations': Destinations,
  '/service': Service,
  '/quarantine': Quarantine,
  '/audit': Audit,
  '/consumers': Consumers,
  '/outbox': Outbox,
  '/make': Make,
};

function pathNow(): PagePath {
  return PAGES.find(({ path }) => path === location.pathname)?.path ?? '/';
}

/** The page that is open, and how another one is opened. */
function usePath(onChange: () => void) {
  const [path, setPath] = useState(pathNow);
  useEffect(() => {
    const listener = (): void => {
      setPath(pathNow());
      onChange();
    };
    addEventListener('popstate', listener);
    return () => removeEventListener('popstate', listener);
  }, []);
  const open = (to: PagePath): void => {
    history.pushState(null, '', to);
    setPath(to);
    draw('none');
    onChange();
  };
  return { path, open };
}

function App({ link }: { link: LinkKey }) {
  const { connection } = useLive();
  const heading = useRef<HTMLHeadingElement>(null);
  const [error, recover] = useErrorBoundary();
  const { path, open } = usePath(recover);
  const openLink = (event: MouseEvent, to: PagePath): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(to);
    heading.current?.focus();
  };
  const { title } = PAGES.find((page) => page.path === path) ?? PAGES[0];
  useEffect(() => void (document.title = `${title} – membership event bridge`), [title]);
  const Content = CONTENT[path];
  const why = whyAsked(connection, link);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Menu path={path} connection={connection} onOpen={openLink} />
      <main id="content">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {/* In one place: what somebody has typed stays when the reason changes. */}
        {why !== null && <KeyForm why={why} />}
        {connection !== 'refused' && (
          <>
            {connection === 'lost' && (
              <Failure text="The run does not answer: what you see is from before. If it has ended, start it again, and open the address that it prints." />
            )}
            {error ? (
              <Failure text={`This page cannot be shown: ${(error as Error).message}. The other pages work.`} />
            ) : (
              Content && <Content />
            )}
          </>
        )}
      </main>
      <ChangeDialog />
    </>
  );
}

/** Why the key is asked for; null where it is not. */
function whyAsked(connection: Live['connection'], link: LinkKey): string | null {
  if (connection === 'refused') return 'This browser does not have the key of the run that answers here.';
  if (link !== 'refused') return null;
  return 'The link has the key of another run, and changes nothing: this browser goes on with its own.';
}

type MenuProps = Pick<Live, 'connection'> & { path: PagePath; onOpen: (event: MouseEvent, to: PagePath) => void };

function Menu({ path, connection, onOpen }: MenuProps) {
  return (
    <nav aria-label="Pages">
      <p class="name">
        Membership event bridge <Badge tone="busy">LOCAL</Badge>
      </p>
      <ul>
        {PAGES.filter((page) => page.path in CONTENT).map((page) => (
          <li key={page.path}>
            <a
              href={page.path}
              aria-current={page.path === path ? 'page' : undefined}
              onClick={(event) => onOpen(event, page.path)}
            >
              {page.title}
            </a>
          </li>
        ))}
      </ul>
      <p class="connection" role="status">
        {CONNECTION[connection]}
      </p>
      <p class="connection">Times are in {Intl.DateTimeFormat().resolvedOptions().timeZone}.</p>
    </nav>
  );
}

const CONNECTION: Readonly<Record<Live['connection'], string>> = {
  connecting: 'Connecting…',
  open: 'Live',
  lost: 'The run does not answer; trying again…',
  refused: 'Not connected',
};

const draw = (link: LinkKey): void => render(<App link={link} />, document.body);
let again: ReturnType<typeof setTimeout> | undefined;
function show(link: LinkKey): void {
  draw(link);
  clearTimeout(again);
  if (link === 'unanswered') again = setTimeout(takeLater, 1_000);
}
const takeLater = (): void => void takeKey().then((link) => (link === 'taken' ? location.reload() : show(link)));
// Somebody writes the address of the next run into a tab of the last one: that loads nothing by itself.
addEventListener('hashchange', takeLater);
const link = await takeKey();
connect();
show(link);

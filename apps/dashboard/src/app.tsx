/** @file The page: who is signed in, what is above every view, and which view an address has. */
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { forgetConversations } from './chat/stored-names.js';
import { useClockOffset } from './data/clock.js';
import { useAlertChanges, useOpenAlerts } from './data/alert-changes.js';
import { codeOf, isAway, isKeyLost } from './data/errors.js';
import { useServerState } from './data/server-state.js';
import { useRunChanges } from './data/run-changes.js';
import { focusContent } from './parts/dialog.js';
import { ErrorBoundary } from './parts/error-boundary.js';
import { Shortcuts } from './parts/shortcuts.js';
import { Notice, Waiting } from './parts/states.js';
import { formatSeconds } from './format/numbers.js';
import { chooseTheme, useTheme } from './parts/theme.js';
import { useCurrentInView } from './parts/use-current-in-view.js';
import { Text } from './parts/text.js';
import { Unread } from './parts/unread.js';
import { Link } from './routing/link.js';
import { usePath } from './routing/router.js';
import { RunsPage } from './runs/runs-page.js';
import { RunPage } from './run/run-page.js';
import { forget, openSession, type Session } from './session/session.js';
import { SessionContext, useSession } from './session/session-context.js';
import { ShownView } from './session/shown-view.js';
import { explainRefusal, SignIn } from './session/sign-in.js';

const StartPage = lazy(() => import('./start/start-page.js'));
const ComparePage = lazy(() => import('./compare/compare-page.js'));
const RatingsPage = lazy(() => import('./ratings/ratings-page.js'));
const RatingPage = lazy(() => import('./ratings/rating-page.js'));
const AlertsPage = lazy(() => import('./alerts/alerts-page.js'));
const WorkersPage = lazy(() => import('./cluster/workers-page.js'));
const PluginsPage = lazy(() => import('./cluster/plugins-page.js'));
const PlayPage = lazy(() => import('./play/play-page.js'));
const KeysPage = lazy(() => import('./access/keys-page.js'));
const AuditPage = lazy(() => import('./access/audit-page.js'));

const revoked = 'Signed out: the key is no longer valid. It was revoked, or the server has other keys now.';

export function App({ givenKey: key }: { readonly givenKey: string | undefined }) {
  const [session, setSession] = useState<Session>();
  const [reason, setReason] = useState<string>();
  const [isOpening, setOpening] = useState(true);
  useEffect(() => {
    if (key === undefined) return setOpening(false);
    const open = (): void =>
      void openSession(key)
        .then(setSession)
        .catch((error: unknown) => {
          setReason(explainRefusal(error));
          if (isAway(error)) return void setTimeout(open, 2000);
          forget();
          return undefined;
        })
        .finally(() => setOpening(false));
    open();
  }, [key]);
  const leave = useCallback((why?: string) => {
    forget();
    setReason(why);
    setSession((old) => {
      if (old !== undefined) forgetConversations(old.me.keyId);
      void old?.client.dispose();
      return undefined;
    });
  }, []);
  if (isOpening) return <Waiting what="your key" />;
  if (session === undefined) return <SignIn key={reason} reason={reason} onSession={setSession} />;
  return <SignedIn key={session.me.keyId} session={session} leave={leave} />;
}

interface SignedInProps {
  readonly session: Session;
  leave(reason?: string): void;
}

function SignedIn({ session, leave }: SignedInProps) {
  const queries = useMemo(() => {
    const onError = (error: unknown): void => {
      if (isKeyLost(error)) leave(revoked);
    };
    const onQueryError = (
      error: unknown,
      { queryKey: [of, runId] }: { queryKey: readonly unknown[] },
    ): void => {
      onError(error);
      if (codeOf(error) !== 'server.not_found') return;
      // the run itself may be gone: its page says so when it is read again
      if (of !== 'run' && typeof runId === 'string')
        void client.invalidateQueries({ queryKey: ['run', runId] });
      // one of those that are listed or compared: the others stay
      if (Array.isArray(runId))
        for (const list of ['runs', 'compared-runs']) void client.invalidateQueries({ queryKey: [list] });
    };
    const client = new QueryClient({
      queryCache: new QueryCache({ onError: onQueryError }),
      defaultOptions: {
        queries: {
          staleTime: 30_000,
          refetchOnWindowFocus: false,
          // what the server fails at again and again is told, not waited for
          retry: (count, error) => isAway(error) && count < (codeOf(error) === 'server.internal' ? 2 : 60),
          retryDelay: (count) => Math.min(5000, 500 * 2 ** count),
        },
        mutations: { onError },
      },
    });
    return client;
  }, [leave]);
  const signed = useMemo(() => ({ ...session, leave }), [session, leave]);
  return (
    <QueryClientProvider client={queries}>
      <SessionContext.Provider value={signed}>
        <Frame />
      </SessionContext.Provider>
    </QueryClientProvider>
  );
}

function Frame() {
  const path = usePath();
  const { me, leave } = useSession();
  const server = useServerState();
  useRunChanges();
  useAlertChanges();
  // the link that was followed may be gone with its view
  const first = useRef(path);
  useEffect(() => {
    if (first.current === path) return undefined;
    first.current = '';
    const timer = window.setTimeout(focusContent, 50);
    return () => window.clearTimeout(timer);
  }, [path]);
  const section = path.split('/')[1] ?? '';
  const bar = useCurrentInView<HTMLElement>(section);
  const item = (href: string, name: string, isHere: boolean) => (
    <Link href={href} aria-current={isHere ? 'page' : undefined}>
      {name}
    </Link>
  );
  return (
    <>
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header className="bar">
        <Link href="/" className="brand" aria-label="Espalier, runs">
          <Mark />
          <span>Espalier</span>
        </Link>
        <nav aria-label="Views" ref={bar}>
          {item('/', 'Runs', ['', 'runs', 'new'].includes(section))}
          {item('/compare', 'Compare', section === 'compare')}
          {(me.role === 'operator' || me.role === 'admin') && item('/play', 'Play', section === 'play')}
          {item('/ratings', 'Ratings', section === 'ratings')}
          <AlertsLink isHere={section === 'alerts'} />
          {item('/workers', 'Workers', section === 'workers')}
          {item('/plugins', 'Plugins', section === 'plugins')}
          {me.role === 'admin' && item('/keys', 'Keys', section === 'keys')}
          {me.role === 'admin' && item('/audit', 'Audit', section === 'audit')}
        </nav>
        <div className="who">
          <span className="name small" title={`Key of role ${me.role}`}>
            <Text of={me.name} /> · {me.role}
          </span>
          <Shortcuts />
          <ThemeButton />
          <button className="plain" onClick={() => leave()}>
            Sign out
          </button>
        </div>
      </header>
      {server === 'away' && (
        <div className="banner" role="status">
          The server does not answer. What you see is the last that it told; the page goes on when it is back.
        </div>
      )}
      <ClockNote />
      <ShownView />
      {server === 'changed' && (
        <div className="banner" role="status">
          The server was updated. Reload the page to use its version.
        </div>
      )}
      <main id="content" tabIndex={-1}>
        <Unread />
        <ErrorBoundary place={path}>
          <Suspense fallback={<Waiting what="the view" />}>{viewOf(path)}</Suspense>
        </ErrorBoundary>
      </main>
    </>
  );
}

/** With how many are open. */
function AlertsLink({ isHere }: { readonly isHere: boolean }) {
  const open = useOpenAlerts();
  return (
    <Link href="/alerts" aria-current={isHere ? 'page' : undefined}>
      Alerts
      {open !== undefined && open > 0 && (
        <>
          {' '}
          <span className="count" aria-label={`${open} open`}>
            {open > 99 ? '99+' : open}
          </span>
        </>
      )}
    </Link>
  );
}

function ClockNote() {
  const offset = useClockOffset();
  if (offset === 0) return null;
  return (
    <div className="banner" role="status">
      The clock of this computer is {formatSeconds(Math.abs(offset) / 1000)}{' '}
      {offset > 0 ? 'behind' : 'ahead of'} the server’s. Ages are told by the server’s clock.
    </div>
  );
}

function viewOf(path: string) {
  const [, section = '', runId = '', view = 'overview', ...rest] = path.split('/').map(decodePart);
  if (section === '' || (section === 'runs' && runId === '')) return <RunsPage />;
  if (section === 'runs') return <RunPage key={runId} runId={runId} view={view} rest={rest.join('/')} />;
  if (section === 'new') return <StartPage />;
  if (section === 'compare') return <ComparePage />;
  if (section === 'play') return <PlayPage />;
  if (section === 'ratings') return runId === '' ? <RatingsPage /> : <RatingPage key={runId} id={runId} />;
  if (section === 'alerts') return <AlertsPage />;
  if (section === 'workers') return <WorkersPage />;
  if (section === 'plugins') return <PluginsPage />;
  if (section === 'keys') return <KeysPage />;
  if (section === 'audit') return <AuditPage />;
  return (
    <Notice title="There is no such view">
      <Link href="/">All runs</Link>
    </Notice>
  );
}

/** A part of an address that is no valid encoding stands as it is. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function ThemeButton() {
  const theme = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <button
      className="plain"
      onClick={() => chooseTheme(other)}
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
    >
      {theme === 'dark' ? '☀' : '☾'}
    </button>
  );
}

function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <path
        d="M16 29V3M16 24C8 24 4 21 4 15M16 24c8 0 12-3 12-9M16 15c-5 0-7-2-7-6M16 15c5 0 7-2 7-6"
        fill="none"
        stroke="var(--accent)"
        strokeWidth="3"
        strokeLinecap="round"
      />
    </svg>
  );
}

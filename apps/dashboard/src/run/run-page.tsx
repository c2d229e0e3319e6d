import type { RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { closedChat } from '../chat/chat-place.js';
import { codeOf } from '../data/errors.js';
import { usePrefetchedMetrics } from '../data/use-run-metrics.js';
import { formatMoment } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useCurrentInView } from '../parts/use-current-in-view.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { keptSearch } from '../routing/run-filter.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { RunActions } from './actions.js';
import { Overview } from './overview.js';
import { ReportButton } from './report-button.js';
import { ChatPanel, Family, Log, Settings, Steps, Trajectories, TrajectoryPage, Verdicts } from './views.js';

interface Props {
  readonly runId: string;
  readonly view: string;
  /** what follows in the address, such as the id of a trajectory */
  readonly rest: string;
}

export function RunPage({ runId, view, rest }: Props) {
  const { client } = useSession();
  const mayAct = useMayAct();
  usePrefetchedMetrics(runId, view === 'overview' || view === 'steps');
  const [search, setSearch] = useSearch();
  const {
    data: run,
    error,
    refetch,
  } = useQuery({
    queryKey: ['run', runId],
    queryFn: () => client.runs.get(runId),
    // changes are pushed; that it was deleted is not
    refetchInterval: ({ state }) => (state.status === 'error' ? false : 10_000),
  });
  if (error !== null && codeOf(error) === 'server.not_found')
    return (
      <Notice title="There is no such run">
        <p>It was deleted, or your key does not see its project.</p>
        <p>
          <Link href="/">All runs</Link>
        </p>
      </Notice>
    );
  if (run === undefined)
    return error === null ? (
      <Waiting what="the run" />
    ) : (
      <ErrorNote error={error} retry={() => void refetch()} />
    );
  const isChatOpen = search.has('chat');
  return (
    <div className="stack">
      <div className="row between">
        <div>
          <div className="row">
            <h1>
              <Text of={run.title || run.name} />
            </h1>
            <Badge of={run.state} />
            {run.health !== null && run.health !== 'healthy' && <Badge of={run.health} />}
          </div>
          <Origin run={run} />
        </div>
        <div className="row">
          <button
            aria-pressed={isChatOpen}
            onClick={() =>
              setSearch(
                isChatOpen ? closedChat : { chat: search.get('step') ?? search.get('from') ?? 'newest' },
              )
            }
          >
            Chat
          </button>
          <ReportButton runIds={[run.id]} title={run.title || run.name} />
          {mayAct && <Link href={`/new?run=${run.id}`}>New run from this</Link>}
          <RunActions run={run} />
        </div>
      </div>
      <Tabs runId={run.id} view={view} />
      <div className={isChatOpen ? 'with-chat' : undefined}>
        <div className="stack">
          <CurrentView run={run} view={view} rest={rest} />
        </div>
        {isChatOpen && (
          <Suspense fallback={<Waiting what="the chat" />}>
            <ChatPanel run={run} trajectory={view === 'trajectories' && rest !== '' ? rest : undefined} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

/** Steps and filters that are chosen in one view hold in the others. */
function Tabs({ runId, view }: { readonly runId: string; readonly view: string }) {
  const [search] = useSearch();
  const bar = useCurrentInView<HTMLElement>(view);
  const step = search.get('step');
  // a step that is chosen in the overview is a range of one elsewhere
  const kept = keptSearch(search, step === null || search.has('from') ? {} : { from: step, to: step });
  const tab = (name: string, label: string) => (
    <Link
      href={`${name === 'overview' ? toPath('runs', runId) : toPath('runs', runId, name)}${kept}`}
      aria-current={view === name ? 'page' : undefined}
    >
      {label}
    </Link>
  );
  return (
    <nav className="tabs" aria-label="Views of the run" ref={bar}>
      {tab('overview', 'Overview')}
      {tab('steps', 'Steps')}
      {tab('trajectories', 'Trajectories')}
      {tab('family', 'Family')}
      {tab('verdicts', 'Verdicts')}
      {tab('settings', 'Settings')}
      {tab('log', 'Log')}
    </nav>
  );
}

interface ViewProps {
  readonly run: RunDetails;
  readonly view: string;
  readonly rest: string;
}

const views = ['overview', 'steps', 'trajectories', 'family', 'verdicts', 'settings', 'log'];

function CurrentView({ run, view, rest }: ViewProps) {
  if (!views.includes(view) || (rest !== '' && view !== 'trajectories'))
    return (
      <Notice title="There is no such view of a run">
        <p>
          <Link href={toPath('runs', run.id)}>Its overview</Link>, or one of the tabs above.
        </p>
      </Notice>
    );
  return (
    <Suspense fallback={<Waiting what="the view" />}>
      {view === 'overview' && <Overview run={run} />}
      {view === 'steps' && <Steps run={run} />}
      {view === 'trajectories' && rest === '' && (
        <Trajectories runId={run.id} isRunning={run.state === 'running'} />
      )}
      {view === 'trajectories' && rest !== '' && <TrajectoryPage runId={run.id} id={rest} />}
      {view === 'family' && <Family run={run} />}
      {view === 'verdicts' && <Verdicts run={run} />}
      {view === 'settings' && <Settings run={run} />}
      {view === 'log' && <Log run={run} />}
    </Suspense>
  );
}

/** Where a run comes from. */
function Origin({ run }: { readonly run: RunDetails }) {
  return (
    <div className="row small muted" style={{ marginTop: 4 }}>
      <span className="mono">{run.id}</span>
      <span title={formatMoment(run.createdAt)}>
        by <Text of={run.createdBy} />
      </span>
      {run.host !== null && (
        <span>
          on <Text of={run.host} />
        </span>
      )}
      {run.parentRunId !== null && (
        <Link href={toPath('runs', run.parentRunId, 'family')}>
          {run.continues ? 'continues from' : 'fork at'} step {run.parentStep}
        </Link>
      )}
      {run.tags.map((tag) => (
        <span key={tag} className="tag">
          <Text of={tag} />
        </span>
      ))}
    </div>
  );
}

/** @file One trajectory: as messages, turns, tokens, where it turned, as a film, beside another. */
import { Term } from '../charts/term.js';
import type { TermKey } from '../charts/terms.js';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { About } from '../charts/about.js';
import { codeOf, describeError } from '../data/errors.js';
import { trajectoryQuery } from '../data/read-ahead.js';
import type { OpenedTrajectory } from '../data/types.js';
import { formatNumber, formatSeconds, formatShare } from '../format/numbers.js';
import { Microscope } from '../microscope/microscope.js';
import { useFirstTokens } from '../microscope/use-pages.js';
import { Badge } from '../parts/badge.js';
import { isTyping } from '../parts/is-typing.js';
import { useCurrentInView } from '../parts/use-current-in-view.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useRescored } from '../rescore/use-rescored.js';
import { Link } from '../routing/link.js';
import { navigate, toPath, useSearch, wholeNumber } from '../routing/router.js';
import { keptSearch } from '../routing/run-filter.js';
import { StepStrip } from '../run/step-walk.js';
import { useSession } from '../session/session-context.js';
import { Downloads } from './downloads.js';
import { GroupStrip } from './group-strip.js';
import { Messages } from './messages.js';
import { Rewards } from './rewards.js';
import { TrajectoryComments } from './trajectory-comments.js';
import { tellDropped } from './trajectory-list.js';
import { Turns } from './turns.js';
import { useNeighbours } from './use-trajectories.js';
import { tellWeights, whatVersionsAre } from './weights.js';

const TurningPoint = lazy(() => import('../turning/turning-point.js'));
const Playback = lazy(() => import('../playback/playback.js'));
const Beside = lazy(() => import('../beside/beside.js'));

const views = ['messages', 'turns', 'tokens', 'turning', 'playback', 'beside'] as const;
const viewNames = {
  messages: 'Messages',
  turns: 'Turns',
  tokens: 'Tokens',
  turning: 'Turning point',
  playback: 'Playback',
  beside: 'Side by side',
};

export default function TrajectoryPage({ runId, id }: { readonly runId: string; readonly id: string }) {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const { data, error, refetch } = useQuery(trajectoryQuery(client, runId, id));
  const { previousId, nextId } = useNeighbours(runId, id, data);
  const view = views.find((one) => one === search.get('view')) ?? 'messages';
  const again = search.get('again') ?? '';
  useFirstTokens(runId, id, view === 'tokens' ? (wholeNumber(search.get('token')) ?? 0) : undefined);
  const go = (to: string | null | undefined): void => {
    if (typeof to === 'string')
      navigate(`${toPath('runs', runId, 'trajectories', to)}${keptSearch(search, { view, again })}`);
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key } = event;
      if (isTyping(event)) return;
      if (key === '[') go(previousId);
      if (key === ']') go(nextId);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
  const back = (
    <Link href={`${toPath('runs', runId, 'trajectories')}${keptSearch(search, { again })}`} className="small">
      ← {keptSearch(search) === '' ? 'all' : 'chosen'} trajectories
    </Link>
  );
  if (data === undefined) return <Missing error={error} back={back} retry={() => void refetch()} />;
  const { row } = data;
  return (
    <div className="stack">
      <div className="row between">
        <div className="row">
          {back}
          <h2 className="mono">{id}</h2>
          <Badge of={row.success ? 'finished' : 'cancelled'} text={row.success ? 'success' : 'no success'} />
        </div>
        <div className="row">
          <Downloads runId={runId} id={id} />
          <button disabled={previousId === null} onClick={() => go(previousId)} title="key [">
            Previous
          </button>
          <button disabled={nextId === null} onClick={() => go(nextId)} title="key ]">
            Next
          </button>
        </div>
      </div>
      <Facts runId={runId} trajectory={data} />
      <StepStrip runId={runId} row={row} kept={{ view, again }} />
      <GroupStrip runId={runId} row={row} view={view} />
      <ViewBar view={view} onPick={(one) => setSearch({ view: one })} />
      {data.turns.length === 0 && (
        <Notice title="It has no turn">
          <p>The episode ended before the model was asked.</p>
        </Notice>
      )}
      <Suspense fallback={<Waiting what="the view" />}>
        <CurrentView view={view} runId={runId} trajectory={data} />
      </Suspense>
      <Below runId={runId} id={id} trajectory={data} />
    </div>
  );
}

type View = (typeof views)[number];

function ViewBar({ view, onPick }: { readonly view: View; onPick(view: View): void }) {
  const bar = useCurrentInView<HTMLDivElement>(view);
  return (
    <div ref={bar} className="segmented views" role="group" aria-label="View">
      {views.map((one) => (
        <button key={one} aria-pressed={view === one} onClick={() => onPick(one)}>
          {viewNames[one]}
        </button>
      ))}
    </div>
  );
}

interface BelowProps {
  readonly runId: string;
  readonly id: string;
  readonly trajectory: OpenedTrajectory;
}

/** What stands below each view. */
function Below({ runId, id, trajectory: { row, score } }: BelowProps) {
  const { totals } = useRescored(runId);
  return (
    <>
      <Rewards score={score} again={totals?.get(id)} />
      <TrajectoryComments key={id} runId={runId} id={id} turns={row.turns} tokens={row.tokens} />
    </>
  );
}

interface ViewProps {
  readonly view: View;
  readonly runId: string;
  readonly trajectory: OpenedTrajectory;
}

function CurrentView({ view, runId, trajectory }: ViewProps) {
  const { turns, labels, score, row, update } = trajectory;
  if (view === 'messages') return <Messages key={row.id} turns={turns} />;
  if (view === 'turns')
    return <Turns key={row.id} turns={turns} update={update} labels={labels} perTurn={score.perTurn} />;
  if (view === 'tokens') return <Microscope key={row.id} runId={runId} trajectory={trajectory} />;
  if (view === 'playback') return <Playback key={row.id} trajectory={trajectory} />;
  if (view === 'beside') return <Beside key={row.id} runId={runId} trajectory={trajectory} />;
  return <TurningPoint key={row.id} runId={runId} trajectory={trajectory} />;
}

interface MissingProps {
  readonly error: Error | null;
  readonly back: ReactNode;
  retry(): void;
}

/** What stands where a trajectory would: it is read, not stored yet, unknown, or could not be read. */
function Missing({ error, back, retry }: MissingProps) {
  if (error === null) return <Waiting what="the trajectory" />;
  const known: Readonly<Record<string, readonly [title: string, why: string]>> = {
    'trajectory.not_stored': ['Its file is not stored yet', describeError(error)],
    'server.not_found': [
      'There is no such trajectory',
      'The run has not sampled it, or a later attempt replaced it.',
    ],
  };
  const [title, why] = known[codeOf(error) ?? ''] ?? [];
  if (title === undefined || why === undefined) return <ErrorNote error={error} retry={retry} />;
  return (
    <Notice title={title}>
      <p>
        <Text of={why} />
      </p>
      {back}
    </Notice>
  );
}

/** What a list says of it, and a little more. */
function Facts({ runId, trajectory }: { readonly runId: string; readonly trajectory: OpenedTrajectory }) {
  const { row } = trajectory;
  return (
    <dl className="facts card">
      <Fact name="Step" term="Trajectory.step">
        {row.step}
      </Fact>
      {row.environmentTag !== null && (
        <Fact name="Environment">
          <Link
            href={`${toPath('runs', runId, 'trajectories')}?${new URLSearchParams({ tag: row.environmentTag })}`}
          >
            <Text of={row.environmentTag} />
          </Link>
        </Fact>
      )}
      {trajectory.level !== null && (
        <Fact name="Level" term="TrajectoryDetail.level">
          {trajectory.level}
        </Fact>
      )}
      <Fact name="Reward" term="Trajectory.reward">
        {formatNumber(row.reward)}
      </Fact>
      <Fact name="Ended by">{row.stopReason}</Fact>
      <Fact name="Turns" term="Trajectory.turns">
        {row.turns}
      </Fact>
      <Fact name="Tokens" term="Trajectory.tokens, sampledTokens">
        {row.tokens}, {row.sampledTokens} sampled
      </Fact>
      <Fact name="Took" term="Trajectory.totalMs">
        {formatSeconds(trajectory.totalMs / 1000)}
      </Fact>
      <Fact name="State seed" term="Trajectory.seeds.state">
        {trajectory.seeds.state}
      </Fact>
      {row.split === 'train' && (
        <Fact name="Trained on" term="Trajectory.updateShare">
          {tellTrained(row)}
        </Fact>
      )}
      <Fact name="Weights" words={whatVersionsAre}>
        {tellWeights(trajectory)}
      </Fact>
      <Fact name="Group">
        <Link
          href={`${toPath('runs', runId, 'trajectories')}?from=${row.step}&to=${row.step}&split=${row.split}&group=${row.group}`}
        >
          {row.group}, compare its members
        </Link>
      </Fact>
      {trajectory.labels.length > 0 && (
        <Fact name="What went wrong">
          {trajectory.labels.map(({ name, turn }) => (
            <span key={name} className="tag">
              {name.replaceAll('-', ' ')}, turn {turn + 1}
            </span>
          ))}
        </Fact>
      )}
      {row.error !== null && (
        <Fact name="Error">
          <Text of={row.error} />
        </Fact>
      )}
    </dl>
  );
}

/** What became of it in the update of its step. */
function tellTrained({ kept, dropped, outcome, updateShare }: OpenedTrajectory['row']): string {
  if (outcome === 'trained')
    return updateShare === null ? 'yes' : `yes, ${formatShare(updateShare)} of the update`;
  if (outcome === null || outcome === 'dropped') return kept ? 'yes' : tellDropped(dropped);
  return `no: ${outcome.replaceAll('-', ' ')}`;
}

interface FactProps {
  readonly name: string;
  readonly term?: TermKey;
  /** what no term says */
  readonly words?: string;
  readonly children: ReactNode;
}

function Fact({ name, term, words, children }: FactProps) {
  return (
    <div>
      <dt>
        {name} {term !== undefined && <Term title={name} of={[term]} />}
        {words !== undefined && <About title={name} words={words} />}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** @file Two trajectories side by side: their turns aligned by state, and where they first differ. The other one is in the address. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { trajectoryQuery } from '../data/read-ahead.js';
import type { OpenedTrajectory } from '../data/types.js';
import { formatCount, formatNumber } from '../format/numbers.js';
import { LongText } from '../parts/long-text.js';
import { More } from '../parts/more.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { WindowList, type WindowListHandle } from '../parts/window-list.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { useGroup } from '../trajectories/group-strip.js';
import { Scene, sceneOf } from '../trajectories/scene.js';
import { alignTurns, type Difference, findDifference, type Row } from './align.js';
import '../styles/beside.css';

interface Props {
  readonly runId: string;
  readonly trajectory: OpenedTrajectory;
}

export default function Beside({ runId, trajectory }: Props) {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const otherRun = search.get('run') ?? runId;
  const other = search.get('with') ?? '';
  const { data, error, refetch } = useQuery({
    ...trajectoryQuery(client, otherRun, other),
    enabled: other !== '',
  });
  return (
    <div className="stack">
      <Picker
        runId={runId}
        trajectory={trajectory}
        otherRun={otherRun}
        other={other}
        choose={(run, id) => setSearch({ run: run === runId ? undefined : run, with: id })}
      />
      {other === '' ? (
        <Notice title="Beside which one?">
          <p>Choose a member of its group above, or any trajectory by its run and id.</p>
        </Notice>
      ) : error !== null ? (
        <ErrorNote error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Waiting what="the other trajectory" />
      ) : (
        <Pair key={`${otherRun} ${other}`} left={trajectory} right={data} runs={[runId, otherRun]} />
      )}
    </div>
  );
}

interface PickerProps extends Props {
  readonly otherRun: string;
  readonly other: string;
  choose(runId: string, id: string): void;
}

function Picker({ runId, trajectory: { row }, otherRun, other, choose }: PickerProps) {
  const members = useGroup(runId, row);
  const others = (members.items ?? []).filter(({ id }) => id !== row.id);
  const [run, setRun] = useState(otherRun);
  const [id, setId] = useState(other);
  return (
    <form
      className="row beside-picker"
      onSubmit={(event) => {
        event.preventDefault();
        choose(run.trim(), id.trim());
      }}
    >
      {others.length > 0 && (
        <label className="small muted">
          From its group{' '}
          <select
            value={otherRun === runId && others.some((one) => one.id === other) ? other : ''}
            onChange={({ target }) => {
              setRun(runId);
              setId(target.value);
              choose(runId, target.value);
            }}
          >
            <option value="">choose …</option>
            {others.map((one) => (
              <option key={one.id} value={one.id}>
                {one.index}: {one.success ? 'success' : 'no success'}, reward {formatNumber(one.reward)},{' '}
                {formatCount(one.turns, 'turn')}
              </option>
            ))}
          </select>
        </label>
      )}
      <More of={members} what="members" />
      <label className="small muted">
        or run{' '}
        <input className="mono" size={26} value={run} onChange={({ target }) => setRun(target.value)} />
      </label>
      <label className="small muted">
        trajectory{' '}
        <input
          className="mono"
          size={16}
          value={id}
          placeholder="train/12/0/3"
          onChange={({ target }) => setId(target.value)}
        />
      </label>
      <button disabled={run.trim() === '' || id.trim() === ''}>Show</button>
    </form>
  );
}

const tellDifference = {
  state: 'the states',
  actions: 'the actions',
  text: 'what was written',
  end: 'the ends',
};

function Pair({
  left,
  right,
  runs,
}: {
  readonly left: OpenedTrajectory;
  readonly right: OpenedTrajectory;
  readonly runs: readonly [string, string];
}) {
  const list = useRef<WindowListHandle>(null);
  const rows = useMemo(() => alignTurns(left.turns, right.turns), [left, right]);
  const difference = useMemo(() => findDifference(left.turns, right.turns, rows), [left, right, rows]);
  const hasPictures = [...left.turns, ...right.turns].some(({ image }) => image !== null);
  return (
    <section className="stack tight" aria-label="Two trajectories side by side">
      <div className="beside-heads">
        <Head runId={runs[0]} trajectory={left} />
        <Head runId={runs[1]} trajectory={right} />
      </div>
      <div className="row small">
        <span data-difference={difference?.what ?? 'none'}>{tellFirst(rows, difference, left, right)}</span>
        {difference !== undefined && (
          <button onClick={() => list.current?.scrollTo(difference.row)}>Go there</button>
        )}
      </div>
      <WindowList
        className="beside-rows"
        label="Turns side by side"
        gap={8}
        handle={list}
        count={rows.length}
        estimate={() => (hasPictures ? 320 : 240)}
        render={(at) => {
          const row = rows[at];
          return row === undefined ? null : (
            <PairRow
              row={row}
              left={left}
              right={right}
              isFirst={difference?.row === at}
              what={difference?.what}
            />
          );
        }}
      />
    </section>
  );
}

/** Where the two part, in a sentence. */
function tellFirst(
  rows: readonly Row[],
  difference: Difference | undefined,
  left: OpenedTrajectory,
  right: OpenedTrajectory,
): string {
  if (difference === undefined)
    return left.turns.length === 0
      ? 'Neither has a turn.'
      : 'They are the same, turn by turn: the same states, actions and texts.';
  const { left: l, right: r } = rows[difference.row] ?? {};
  const again = rows.slice(difference.row + 1).filter(({ isSameState }) => isSameState).length;
  const rest =
    again === 0
      ? ''
      : ` Later ${again} more ${again === 1 ? 'turn begins' : 'turns begin'} in the same state.`;
  if (difference.what === 'state' && l === 0 && r === 0)
    return `They begin in different states: seed ${left.seeds.state} and ${right.seeds.state}.${rest}`;
  if (l === undefined || r === undefined)
    return `One of them ends where the other goes on, at turn ${(l ?? r ?? 0) + 1}.${rest}`;
  const turns = l === r ? `turn ${l + 1}` : `turns ${l + 1} and ${r + 1}`;
  const before = difference.row === 0 ? 'They begin in the same state' : 'Up to there they are the same';
  return `${before}: at ${turns} ${tellDifference[difference.what]} differ.${rest}`;
}

function Head({
  runId,
  trajectory: { row },
}: {
  readonly runId: string;
  readonly trajectory: OpenedTrajectory;
}) {
  return (
    <div className="card beside-head">
      <Link className="mono" href={toPath('runs', runId, 'trajectories', row.id)}>
        {row.id}
      </Link>
      <div className="small muted">
        {row.success ? <b className="up">success</b> : 'no success'}, reward {formatNumber(row.reward)},{' '}
        {formatCount(row.turns, 'turn')}, ended by {row.stopReason}
      </div>
      <div className="small faint mono">{runId}</div>
    </div>
  );
}

interface PairRowProps {
  readonly row: Row;
  readonly left: OpenedTrajectory;
  readonly right: OpenedTrajectory;
  readonly isFirst: boolean;
  readonly what: Difference['what'] | undefined;
}

function PairRow({ row, left, right, isFirst, what }: PairRowProps) {
  return (
    <div className={`beside-row ${isFirst ? 'differs-first' : ''}`}>
      {isFirst && what !== undefined && (
        <p className="small first-difference">First difference: {tellDifference[what]}</p>
      )}
      <Side turn={left.turns[row.left ?? -1]} isSameState={row.isSameState} />
      <Side turn={right.turns[row.right ?? -1]} isSameState={row.isSameState} />
    </div>
  );
}

type Turn = OpenedTrajectory['turns'][number];

function Side({
  turn,
  isSameState,
}: {
  readonly turn: Turn | undefined;
  readonly isSameState: boolean;
}): ReactNode {
  if (turn === undefined) return <div className="card beside-side none small muted">no turn here</div>;
  return (
    <article className="card beside-side">
      <header>
        <h3>Turn {turn.index + 1}</h3>
        <span className="small muted">{isSameState ? '= same state' : '≠ another state'}</span>
        <span className="small muted">reward {formatNumber(turn.reward)}</span>
      </header>
      <div className="beside-body">
        <Scene {...sceneOf(turn)} alt={`State before turn ${turn.index + 1}`} />
        <div>
          <p>
            {turn.actions.length === 0 ? (
              <span className="muted">no action</span>
            ) : (
              <b>
                <Text of={turn.actions.map(({ text }) => text).join(', ')} />
              </b>
            )}
          </p>
          <pre className="part small">
            <LongText of={turn.response} />
          </pre>
        </div>
      </div>
    </article>
  );
}

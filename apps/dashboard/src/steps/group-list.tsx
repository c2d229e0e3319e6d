import type { TrajectoryRow } from '@espalier/client';
import { type ComponentProps, useMemo, useState } from 'react';
import { About } from '../charts/about.js';
import { useFold } from '../data/use-pages.js';
import { formatCount, formatNumber, formatShare } from '../format/numbers.js';
import { More } from '../parts/more.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { keptSearch } from '../routing/run-filter.js';
import { type Group, isGreedyBaseline, toGroups } from './groups.js';
import { RewardDots, scaleOf, tellScale, whatDotsAre } from './reward-dots.js';

const shownAtFirst = 24;

/** The groups by their part in the update; each reward is a dot that opens its trajectory. */
export function GroupList({
  runId,
  rows,
  fitting,
}: {
  readonly runId: string;
  /** of the chosen steps: their rewards are the scale, and what lies behind the dots */
  readonly rows: readonly TrajectoryRow[];
  /** ids of those that fit the filter: groups without one are left out; undefined: there is no filter */
  readonly fitting?: ReadonlySet<string>;
}) {
  const groups = useMemo(
    () =>
      toGroups(rows).filter((group) => fitting === undefined || group.rows.some(({ id }) => fitting.has(id))),
    [rows, fitting],
  );
  const scale = useMemo(
    () => scaleOf(rows.flatMap((row) => (isGreedyBaseline(row) ? [] : (row.reward ?? [])))),
    [rows],
  );
  const [pointed, setPointed] = useState<string>();
  const shown = useFold(groups, shownAtFirst);
  const several = new Set(groups.map(({ step }) => step)).size > 1;
  return (
    <section className="card groups">
      <header>
        <h2>Groups by their part in the update</h2>
        <span className="small muted">
          {formatCount(groups.length, 'group')}; rewards from {formatNumber(scale?.low)} to{' '}
          {formatNumber(scale?.high)}
        </span>
        <About title="the rewards of groups" words={whatDotsAre} />
      </header>
      <p className="small muted pointed">{pointed ?? tellScale(scale)}</p>
      <div className="scroll">
        <table className="actions" aria-label="Groups">
          <thead>
            <tr>
              <th>Group</th>
              <th className="number-cell">Part</th>
              <th>Rewards</th>
              <th className="number-cell">Deviation</th>
              <th>What became of it</th>
            </tr>
          </thead>
          <tbody>
            {shown.items.map((group) => (
              <GroupRow
                key={group.key}
                runId={runId}
                group={group}
                several={several}
                scale={scale}
                fitting={fitting}
                onPoint={setPointed}
              />
            ))}
          </tbody>
        </table>
      </div>
      <More of={shown} what="groups" />
    </section>
  );
}

interface RowProps extends Omit<ComponentProps<typeof RewardDots>, 'rows'> {
  readonly group: Group;
  /** groups of several steps are shown */
  readonly several: boolean;
}

function GroupRow({ group, several, ...dots }: RowProps) {
  const { key, step, group: number, tag, rows, deviation, isTrained, fate } = group;
  const [search] = useSearch();
  return (
    <tr data-group={key}>
      <td className="nowrap">
        <Link
          href={`${toPath('runs', dots.runId, 'trajectories')}?from=${step}&to=${step}&split=train&group=${number}`}
        >
          {several ? `step ${step}, ` : ''}group {number}
        </Link>
        {tag !== null && (
          <Link
            className="tag"
            title="Only this environment"
            href={`${toPath('runs', dots.runId, 'steps')}${keptSearch(search, { tag })}`}
          >
            <Text of={tag} />
          </Link>
        )}
      </td>
      <td className="number-cell">{tellShare(group)}</td>
      <td>
        <RewardDots rows={rows} {...dots} />
      </td>
      <td className="number-cell">
        {deviation === undefined ? (
          <span className="faint">fewer than two rewards</span>
        ) : (
          formatNumber(deviation)
        )}
      </td>
      <td className={isTrained ? '' : 'muted'}>{fate}</td>
    </tr>
  );
}

function tellShare({ share, isTrained }: Group) {
  if (share !== undefined) return formatShare(share);
  return <span className="faint">{isTrained ? 'not recorded' : 'not trained'}</span>;
}

import type { TrajectoryRow } from '@espalier/client';
import { useMemo } from 'react';
import { useFold } from '../data/use-pages.js';
import { formatNumber, formatShare } from '../format/numbers.js';
import { More } from '../parts/more.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { type Group, toGroups } from './groups.js';

const shownAtFirst = 24;

/** The groups by their part in the update; each reward is a dot that opens its trajectory. */
export function GroupList({
  runId,
  rows,
}: {
  readonly runId: string;
  readonly rows: readonly TrajectoryRow[];
}) {
  const groups = useMemo(() => toGroups(rows), [rows]);
  const rewards = rows.flatMap(({ reward }) => reward ?? []);
  const [low, high] = [Math.min(...rewards), Math.max(...rewards)];
  const shown = useFold(groups, shownAtFirst);
  const several = new Set(groups.map(({ step }) => step)).size > 1;
  return (
    <section className="card groups">
      <header>
        <h2>Groups by their part in the update</h2>
        <span className="small muted">
          {groups.length} groups; rewards from {formatNumber(rewards.length === 0 ? undefined : low)} to{' '}
          {formatNumber(rewards.length === 0 ? undefined : high)}
        </span>
      </header>
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
              <tr key={group.key} data-group={group.key}>
                <td className="nowrap">
                  <Link
                    href={`${toPath('runs', runId, 'trajectories')}?from=${group.step}&to=${group.step}&split=train&group=${group.group}`}
                  >
                    {several ? `step ${group.step}, ` : ''}group {group.group}
                  </Link>
                  {group.tag !== null && (
                    <span className="tag">
                      <Text of={group.tag} />
                    </span>
                  )}
                </td>
                <td className="number-cell">{tellShare(group)}</td>
                <td>
                  <Dots runId={runId} group={group} low={low} high={high} />
                </td>
                <td className="number-cell">
                  {group.deviation === undefined ? (
                    <span className="faint">fewer than two rewards</span>
                  ) : (
                    formatNumber(group.deviation)
                  )}
                </td>
                <td className={group.isTrained ? '' : 'muted'}>{group.fate}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More of={shown} what="groups" />
    </section>
  );
}

function tellShare({ share, isTrained }: Group) {
  if (share !== undefined) return formatShare(share);
  return <span className="faint">{isTrained ? 'not recorded' : 'not trained'}</span>;
}

interface DotsProps {
  readonly runId: string;
  readonly group: Group;
  readonly low: number;
  readonly high: number;
}

/** Dots on one scale for all groups; equal rewards lie beside each other, those without a reward at the end. */
function Dots({ runId, group, low, high }: DotsProps) {
  const seen = new Map<number, number>();
  const span = high - low;
  return (
    <span className="dots">
      {group.rows.map((row) => {
        const place = row.reward === null ? 1 : span > 0 ? (row.reward - low) / span : 0.5;
        const key = Math.round(place * 60);
        const before = seen.get(key) ?? 0;
        seen.set(key, before + 1);
        const reward = row.reward === null ? 'no reward' : `reward ${formatNumber(row.reward)}`;
        const what = `${row.id}: ${reward}${row.success ? ', success' : ''}`;
        return (
          <Link
            key={row.id}
            className={row.reward === null ? 'none' : row.success ? 'solved' : ''}
            style={{
              left: `calc(${place * 100}% + ${Math.floor(before / 4) * 8 - 6}px)`,
              top: `${1 + (before % 4) * 8}px`,
            }}
            href={toPath('runs', runId, 'trajectories', row.id)}
            aria-label={what}
            title={what}
          />
        );
      })}
    </span>
  );
}

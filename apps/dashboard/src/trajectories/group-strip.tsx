import { useQuery } from '@tanstack/react-query';
import type { TrajectoryRow } from '@espalier/client';
import { formatNumber } from '../format/numbers.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { keptSearch } from '../routing/run-filter.js';
import { useSession } from '../session/session-context.js';

/** The trajectories of the group of one, itself included. */
export function useGroup(runId: string, { step, split, group }: TrajectoryRow) {
  const { client } = useSession();
  return useQuery({
    queryKey: ['group', runId, split, step, group],
    queryFn: () =>
      client.trajectories.list(runId, { split, group, fromStep: step, toStep: step }, { first: 200 }),
    select: ({ items }) => items,
  });
}

/** The group of a trajectory at a glance: a mark for each member, filled for success, with its reward. */
export function GroupStrip({
  runId,
  row,
  view,
}: {
  readonly runId: string;
  readonly row: TrajectoryRow;
  readonly view: string;
}) {
  const { data: members = [] } = useGroup(runId, row);
  const [search] = useSearch();
  if (members.length < 2) return null;
  return (
    <nav className="group-strip" aria-label="Members of the group">
      <span className="small muted">Group {row.group}</span>
      {members.map(({ id, index, success, reward }) => (
        <Link
          key={id}
          className={`member ${success ? 'good' : ''}`}
          aria-current={id === row.id ? 'page' : undefined}
          title={`${id}: ${success ? 'success' : 'no success'}, reward ${formatNumber(reward)}`}
          href={`${toPath('runs', runId, 'trajectories', id)}${keptSearch(search, { view })}`}
        >
          {success ? '●' : '○'} {index}
          <span className="small">{formatNumber(reward)}</span>
        </Link>
      ))}
    </nav>
  );
}

import { usePages } from '../data/use-pages.js';
import type { TrajectoryRow } from '@espalier/client';
import { formatNumber } from '../format/numbers.js';
import { More } from '../parts/more.js';
import { ErrorNote } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { keptSearch } from '../routing/run-filter.js';
import { useSession } from '../session/session-context.js';

/** The trajectories of the group of one, itself included. */
export function useGroup(runId: string, { step, split, group }: TrajectoryRow) {
  const { client } = useSession();
  const filter = { split, group, fromStep: step, toStep: step };
  return usePages({
    queryKey: ['group', runId, split, step, group],
    read: (page) => client.trajectories.list(runId, filter, page),
    count: () => client.totals.trajectories({ ...filter, runIds: [runId] }),
    size: 200,
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
  const members = useGroup(runId, row);
  const [search] = useSearch();
  // its place is kept while it is read
  if (members.items !== undefined && members.shown < 2) return null;
  return (
    <nav className="group-strip" aria-label="Members of the group">
      <span className="small muted">Group {row.group}</span>
      {members.items?.map(({ id, index, success, reward, outcome }) => (
        <Link
          key={id}
          className={`member ${success ? 'good' : ''}`}
          aria-current={id === row.id ? 'page' : undefined}
          title={`${id}: ${success ? 'success' : 'no success'}, reward ${formatNumber(reward)}${outcome === 'greedy-baseline' ? ', greedy baseline' : ''}`}
          href={`${toPath('runs', runId, 'trajectories', id)}${keptSearch(search, { view, again: search.get('again') ?? '' })}`}
        >
          {success ? '●' : '○'} {outcome === 'greedy-baseline' ? 'greedy' : index}
          <span className="small">{formatNumber(reward)}</span>
        </Link>
      ))}
      {members.error !== null && <ErrorNote error={members.error} retry={members.refetch} />}
      {members.items !== undefined && <More of={members} what="members" />}
    </nav>
  );
}

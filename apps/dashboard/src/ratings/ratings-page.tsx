/** @file The rating sets: what is left for you, and what is done. */
import { useQueryClient } from '@tanstack/react-query';
import { useLive } from '../data/use-live.js';
import { usePages } from '../data/use-pages.js';
import { useNow } from '../data/use-now.js';
import { formatAge, formatMoment } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { More } from '../parts/more.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import '../styles/verdicts.css';

export default function RatingsPage() {
  const { client } = useSession();
  const queries = useQueryClient();
  const now = useNow();
  const sets = usePages({
    queryKey: ['rating-sets'],
    read: (page) => client.ratings.list({}, page),
    count: () => client.totals.ratingSets(),
  });
  useLive(
    'rating-sets',
    () => client.ratings.watch(),
    () => void queries.invalidateQueries({ queryKey: ['rating-sets'] }),
  );
  if (sets.error !== null) return <ErrorNote error={sets.error} retry={sets.refetch} />;
  if (sets.items === undefined) return <Waiting what="the rating sets" />;
  if (sets.items.length === 0)
    return (
      <Notice title="Nothing to rate yet">
        <p>
          A rating set is made on the page of a run, under <b>Verdicts</b>: two ranges of steps, or two runs,
          rated blind by as many people as you like.
        </p>
        <p>
          <Link href="/">All runs</Link>
        </p>
      </Notice>
    );
  return (
    <div className="stack">
      <h1>Ratings</h1>
      <ul className="rating-sets">
        {sets.items.map(({ id, name, kind, size, progress, createdBy, createdAt, closedAt, sources }) => (
          <li key={id} className="card">
            <Link href={toPath('ratings', id)}>
              <Text of={name} />
            </Link>
            <Badge
              of={closedAt !== null ? 'finished' : 'running'}
              text={closedAt !== null ? 'closed' : sources === null ? 'open' : 'you have finished'}
            />
            <span className="muted small">
              {size} {kind === 'pairwise' ? 'pairs' : 'trajectories'} · by <Text of={createdBy} />,{' '}
              <span title={formatMoment(createdAt)}>{formatAge(createdAt, now)}</span>
            </span>
            <span className="small">
              {progress.length === 0 && <span className="faint">nobody has begun</span>}
              {progress.map((rater) => (
                <span key={rater.name} className="tag">
                  <Text of={rater.name} />{' '}
                  {rater.finishedAt === null ? `${rater.rated} of ${size}` : 'finished'}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <More of={sets} what="rating sets" />
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { formatCount, formatNumber } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { ErrorNote } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import type { Side } from './sides.js';

interface Props {
  readonly side: Side;
  readonly title: string;
  readonly seed: number;
}

/** Trajectories drawn from a range of steps, and how they were drawn. */
export function SampleList({ side, title, seed }: Props) {
  const { client } = useSession();
  const { runId, from, to, split } = side;
  const { data, error, refetch } = useQuery({
    queryKey: ['sample', runId, from, to, split, seed],
    queryFn: () =>
      client.verdicts.sample(runId, {
        fromStep: from,
        toStep: to,
        size: 6,
        seed,
        ...(split === '' ? {} : { split }),
      }),
  });
  const of = (isSuccess: boolean) => data?.strata.find(({ success }) => success === isSuccess);
  return (
    <section className="sample">
      <h3>
        {title} <span className="faint small">{from === to ? `step ${from}` : `steps ${from}–${to}`}</span>
      </h3>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.available === 0 && (
        <p className="muted small">No trajectory of these steps is stored. Choose others above.</p>
      )}
      <ul>
        {data?.trajectories.map(({ id, step, reward, success, turns }) => (
          <li key={id} className="small">
            <Link href={toPath('runs', runId, 'trajectories', id)} className="mono">
              {id}
            </Link>
            <Badge of={success ? 'finished' : 'cancelled'} text={success ? 'success' : 'no success'} />
            <span className="muted">
              reward {formatNumber(reward)} · {formatCount(turns, 'turn')} · step {step}
            </span>
          </li>
        ))}
      </ul>
      {data !== undefined && data.available > 0 && (
        <p className="faint small">
          {data.trajectories.length} of {data.available}, by outcome in proportion ({of(true)?.taken} of{' '}
          {of(true)?.available} with success, {of(false)?.taken} of {of(false)?.available} without), spread
          over groups; seed {data.seed} draws them again.
        </p>
      )}
    </section>
  );
}

import type { TrajectoryRow } from '@espalier/client';
import { useMemo } from 'react';
import { About } from '../charts/about.js';
import { formatNumber } from '../format/numbers.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { firstBefore } from './use-steps.js';
import { findMoved, leastGroups, measured } from './moved.js';

interface Props {
  readonly runId: string;
  readonly now: readonly TrajectoryRow[];
  /** undefined: they are read, or there are none before */
  readonly before: readonly TrajectoryRow[] | undefined;
  /** the first step that is told of */
  readonly from: number;
}

/** The distributions that differ most from those of the steps before. */
export function MovedList({ runId, now, before, from }: Props) {
  const moved = useMemo(() => (before === undefined ? undefined : findMoved(now, before)), [now, before]);
  return (
    <section className="card moved">
      <header>
        <h2>What moved</h2>
        <About title="what moved" words={whatItIs} />
        {from > 1 && <span className="small muted">against {tellBefore(from)}</span>}
      </header>
      {from === 1 ? (
        <p className="small muted">There is no step before the first one.</p>
      ) : before === undefined ? (
        <p className="small muted">Reading the steps before …</p>
      ) : moved === undefined ? (
        <p className="small muted">
          Fewer than {leastGroups} groups on one side: too few to tell a change from chance. Choose more
          steps.
        </p>
      ) : moved.length === 0 ? (
        <p className="small muted">
          Nothing beyond chance, of {measured.map(({ label }) => label.toLowerCase()).join(', ')}.
        </p>
      ) : (
        <ol>
          {moved.map(({ measure, delta, low, high, now: own, before: other, extremes }) => (
            <li key={measure.id} data-moved={measure.id}>
              <div>
                <b>{measure.label}</b> {delta > 0 ? '↑' : '↓'} {formatNumber(own)}{' '}
                <span className="muted">from {formatNumber(other)}</span>
              </div>
              <div
                className="small muted"
                title="Cliff’s delta: P(higher now) − P(lower now), over all pairs; interval by a bootstrap over groups"
              >
                δ = {formatNumber(delta)} [{formatNumber(low)}, {formatNumber(high)}]
              </div>
              <div className="small">
                <span className="muted">{delta > 0 ? 'highest' : 'lowest'}: </span>
                {extremes.map((row) => (
                  <Link key={row.id} className="mono" href={toPath('runs', runId, 'trajectories', row.id)}>
                    {row.id}
                  </Link>
                ))}
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const whatItIs =
  'δ is Cliff’s delta: of all pairs of a trajectory now and one before, the share in which the one now is higher, minus the share in which it is lower. −1 or 1: the two do not overlap; 0: neither side tends to be higher. The 95 % interval is a bootstrap over groups, as trajectories of one prompt are alike. What is within its interval of 0 is left out.';

function tellBefore(from: number): string {
  const first = firstBefore(from);
  return first === from - 1 ? `step ${first}` : `steps ${first}–${from - 1}`;
}

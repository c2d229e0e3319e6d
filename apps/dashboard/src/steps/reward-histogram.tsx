import type { TrajectoryRow } from '@espalier/client';
import { useMemo } from 'react';
import { About } from '../charts/about.js';
import { formatCount, formatNumber } from '../format/numbers.js';
import { useSearch } from '../routing/router.js';
import { type Bin, binsOf } from './rewards.js';
import '../styles/reward-histogram.css';

interface Props {
  readonly rows: readonly TrajectoryRow[];
  /** those of the rows that fit the filter; undefined: there is none */
  readonly fitting: readonly TrajectoryRow[] | undefined;
  /** which ones the rows are, as the subject of a sentence */
  readonly subject: string;
  /** said beside the count, such as that there are more */
  readonly note?: string | undefined;
}

/** The rewards of some trajectories; a click on a bar narrows the filter to it, another takes that off. */
export function RewardHistogram({ rows, fitting, subject, note }: Props) {
  const [search, setSearch] = useSearch();
  const bins = useMemo(() => binsOf(rows.flatMap(({ reward }) => reward ?? [])), [rows]);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const without = rows.filter(({ reward }) => reward === null).length;
  const isChosen = ({ least, most: end }: Bin): boolean =>
    search.get('least') === String(least) && search.get('most') === String(end);
  return (
    <section className="card reward-histogram">
      <header>
        <h2>Rewards</h2>
        <About title="the histogram of rewards" words={`${subject} ${whatItIs}`} />
        <span className="small muted">
          {rows.length - without} trajectories
          {without > 0 && `, ${without} more without a reward`}
          {note !== undefined && `, ${note}`}
        </span>
      </header>
      <div className="bars" role="group" aria-label="Trajectories by reward">
        {bins.map((bin) => {
          const { least, most: end, count } = bin;
          const words =
            least === end
              ? `reward ${formatNumber(least)}`
              : `reward ${formatNumber(least)} to ${formatNumber(end)}`;
          const fit = fitting?.filter(
            ({ reward }) => reward !== null && reward >= least && reward <= end,
          ).length;
          const told = fit === undefined ? '' : `, ${fit} fit the filter`;
          const what = `${words}: ${formatCount(count, 'trajectory', 'trajectories')}${told}`;
          return (
            <button
              key={least}
              className="bin"
              aria-pressed={isChosen(bin)}
              title={what}
              onClick={() =>
                setSearch(
                  isChosen(bin)
                    ? { least: undefined, most: undefined }
                    : { least: String(least), most: String(end) },
                )
              }
            >
              <span className="visually-hidden">{what}</span>
              <span className="small count" aria-hidden="true">
                {count}
              </span>
              <i style={{ height: `${(count / most) * 72}px` }}>
                {fit !== undefined && <b style={{ height: `${(fit / count) * 100}%` }} />}
              </i>
              <span className="small muted" aria-hidden="true">
                {formatNumber(least)}
              </span>
            </button>
          );
        })}
      </div>
    </section>
  );
}

const whatItIs =
  'by total reward, raw key reward: a bar for each value, or 16 of equal width where more are distinct. The number below a bar is its lowest reward. A click narrows the filter of all views to its bounds, and another takes that off; the dark part of a bar fits the filter.';

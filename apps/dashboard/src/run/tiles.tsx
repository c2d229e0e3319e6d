import { About, type MetricFacts } from '../charts/about.js';
import { firstValue, type RunMetrics, stepAt, valueAt } from '../charts/series.js';
import { formatChange, formatValue } from '../format/numbers.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import type { Range } from '../routing/run-filter.js';

interface Tile {
  readonly metric: string;
  readonly title: string;
  /** what the number is, beside it */
  readonly of?: string;
  /** which way is better; 0: neither */
  readonly better: 1 | -1 | 0;
  /** the trajectories behind the number, as filters of their list; absent: the story of the step tells more */
  readonly cases?: Readonly<Record<string, string>>;
  /** values that are worth a look, and that are bad: at most, or at least where less is better */
  readonly alarm?: readonly [warn: number, bad: number];
  /** left out where it is 0 throughout */
  readonly isRare?: boolean;
}

const tiles: readonly Tile[] = [
  {
    metric: 'validation/success_rate',
    title: 'Validation',
    of: 'success',
    better: 1,
    cases: { split: 'validation', success: 'no' },
  },
  {
    metric: 'rollout/success_rate',
    title: 'Training',
    of: 'success',
    better: 1,
    cases: { split: 'train', success: 'no' },
  },
  { metric: 'rollout/reward_mean', title: 'Reward', better: 1, cases: { split: 'train', sort: 'worst' } },
  {
    metric: 'rollout/reward_std',
    title: 'Group deviation',
    better: 0,
    cases: { split: 'train', kept: 'no' },
  },
  { metric: 'rollout/entropy', title: 'Entropy', better: 0 },
  { metric: 'policy/gradient_norm', title: 'Gradient norm', better: 0 },
  {
    metric: 'rollout/valid_action_share',
    title: 'Valid actions',
    better: 1,
    cases: { split: 'train', label: 'invalid-action' },
    alarm: [0.9, 0.5],
  },
  {
    metric: 'rollout/failed_share',
    title: 'Failed episodes',
    better: -1,
    cases: { split: 'train', outcome: 'failed' },
    alarm: [0.1, 0.5],
    isRare: true,
  },
  { metric: 'time/step_seconds', title: 'Time of a step', better: -1 },
];

interface Props {
  readonly runId: string;
  readonly metrics: RunMetrics;
  readonly facts: ReadonlyMap<string, MetricFacts>;
  readonly step: number | undefined;
  readonly range: Range | undefined;
}

/** The newest numbers, or those of a chosen step, with their change since the start, or over the chosen range. */
export function Tiles({ runId, metrics, facts, step, range }: Props) {
  const at = step ?? range?.to;
  return (
    <div className="tiles">
      {tiles.map((tile) => {
        const { metric, title, of, better, cases, isRare = false } = tile;
        const series = metrics.series[metric];
        if (isRare && (series?.values.every((one) => one === 0) ?? true)) return null;
        const unit = facts.get(metric)?.unit ?? null;
        const value = valueAt(series, at);
        const start = range === undefined ? firstValue(series) : (valueAt(series, range.from) ?? undefined);
        const change = formatChange(value, start, unit);
        const isKnown = typeof value === 'number' && typeof start === 'number';
        const way = isKnown ? Math.sign(value - start) * better : 0;
        const told = stepAt(series, at);
        const beside = at !== undefined && told !== undefined && told !== at ? `at step ${told}` : of;
        const level = levelOf(value, tile);
        const shown = (
          <>
            {formatValue(value, unit)}
            {beside !== undefined && <span className="small muted"> {beside}</span>}
          </>
        );
        return (
          <div className={`card tile ${level ?? ''}`} key={metric} data-tile={metric}>
            <div className="row small muted">
              {title}
              <About title={title} metrics={[metric]} facts={facts} />
            </div>
            <div className="value">
              {value === undefined ? (
                shown
              ) : (
                <Link
                  href={casesOf(runId, range ?? { from: told ?? 0, to: told ?? 0 }, cases)}
                  title={`Open ${cases === undefined ? 'the story of the step' : 'the trajectories'} behind this: ${title}`}
                >
                  {shown}
                </Link>
              )}
            </div>
            <div className={`small ${way > 0 ? 'up' : way < 0 ? 'down' : 'faint'}`}>
              {value === undefined ? 'not reported' : value === null ? 'NaN or infinite' : (change ?? '')}
              {typeof value === 'number' && change !== undefined && (
                <span className="faint"> from {formatValue(start, unit)}</span>
              )}
              {level !== undefined && (
                <span className={level === 'bad' ? 'down' : 'warn-text'}>
                  {' '}
                  {level === 'bad' ? 'bad' : 'warning'}
                </span>
              )}
            </div>
          </div>
        );
      })}
    </div>
  );
}

function levelOf(value: number | null | undefined, { alarm, better }: Tile): 'warn' | 'bad' | undefined {
  if (alarm === undefined || typeof value !== 'number') return undefined;
  const isPast = (limit: number): boolean => (better > 0 ? value < limit : value > limit);
  const [warn, bad] = alarm;
  return isPast(bad) ? 'bad' : isPast(warn) ? 'warn' : undefined;
}

function casesOf(runId: string, { from, to }: Range, cases: Tile['cases']): string {
  const steps = { from: String(from), to: String(to) };
  return `${toPath('runs', runId, cases === undefined ? 'steps' : 'trajectories')}?${new URLSearchParams({ ...steps, ...cases }).toString()}`;
}

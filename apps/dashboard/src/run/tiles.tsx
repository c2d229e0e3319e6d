import { About, type MetricFacts } from '../charts/about.js';
import { firstValue, type RunMetrics, valueAt } from '../charts/series.js';
import { formatChange, formatValue } from '../format/numbers.js';

interface Tile {
  readonly metric: string;
  readonly title: string;
  /** what the number is, beside it */
  readonly of?: string;
  /** which way is better; 0: neither */
  readonly better: 1 | -1 | 0;
}

const tiles: readonly Tile[] = [
  { metric: 'validation/success_rate', title: 'Validation', of: 'success', better: 1 },
  { metric: 'rollout/success_rate', title: 'Training', of: 'success', better: 1 },
  { metric: 'rollout/reward_mean', title: 'Reward', better: 1 },
  { metric: 'rollout/reward_std', title: 'Group deviation', better: 0 },
  { metric: 'rollout/entropy', title: 'Entropy', better: 0 },
  { metric: 'policy/gradient_norm', title: 'Gradient norm', better: 0 },
  { metric: 'rollout/valid_action_share', title: 'Valid actions', better: 1 },
  { metric: 'time/step_seconds', title: 'Time of a step', better: -1 },
];

interface Props {
  readonly metrics: RunMetrics;
  readonly facts: ReadonlyMap<string, MetricFacts>;
  readonly step: number | undefined;
}

/** The newest numbers, or those of a chosen step, with their change since the start. */
export function Tiles({ metrics, facts, step }: Props) {
  return (
    <div className="tiles">
      {tiles.map(({ metric, title, of, better }) => {
        const series = metrics.series[metric];
        const unit = facts.get(metric)?.unit ?? null;
        const value = valueAt(series, step);
        const start = firstValue(series);
        const change = formatChange(value, start, unit);
        const way = Math.sign((value ?? 0) - (start ?? 0)) * better;
        return (
          <div className="card tile" key={metric}>
            <div className="row small muted">
              {title}
              <About title={title} metrics={[metric]} facts={facts} />
            </div>
            <div className="value">
              {formatValue(value, unit)}
              {of !== undefined && <span className="small muted"> {of}</span>}
            </div>
            <div className={`small ${way > 0 ? 'up' : way < 0 ? 'down' : 'faint'}`}>
              {value === undefined ? 'not reported' : value === null ? 'NaN or infinite' : (change ?? '')}
              {typeof value === 'number' && change !== undefined && (
                <span className="faint"> from {formatValue(start, unit)}</span>
              )}
            </div>
          </div>
        );
      })}
    </div>
  );
}

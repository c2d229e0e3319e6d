/** @file How a run went, in a sentence. Pure functions. */
import { formatNumber, formatSeconds, formatShare } from '../format/numbers.js';
import { firstValue, type RunMetrics, valueAt } from '../charts/series.js';

interface Told {
  readonly state: string;
  readonly step: number | null;
  readonly steps: number;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

const verbs: Readonly<Record<string, string>> = {
  queued: 'Waits for a device',
  assigned: 'Is about to start',
  importing: 'Is being imported',
  running: 'Running',
  pausing: 'Saves and pauses',
  paused: 'Paused',
  cancelling: 'Saves and stops',
  cancelled: 'Cancelled',
  finished: 'Finished',
  failed: 'Failed',
};

/** State, steps and time, then how success or reward moved. */
export function tellRun(run: Told, metrics: RunMetrics | undefined, now: number): string {
  const verb = verbs[run.state] ?? run.state;
  const whole = run.steps > 0 ? `${run.step} of ${run.steps} steps` : `step ${run.step}`;
  const steps = run.step === null ? '' : `: ${whole}`;
  const begun = run.startedAt === null ? Number.NaN : Date.parse(run.startedAt);
  const ended = run.endedAt === null ? now : Date.parse(run.endedAt);
  const seconds = Math.max(0, (ended - begun) / 1000);
  const word = steps !== '' ? 'in' : run.state === 'running' ? 'for' : 'after';
  const time = Number.isFinite(seconds) ? ` ${word} ${formatSeconds(Math.round(seconds))}` : '';
  return `${verb}${steps}${time}.${tellChange(metrics)}`;
}

function tellChange(metrics: RunMetrics | undefined): string {
  for (const [metric, name] of [
    ['validation/success_rate', 'Success on validation'],
    ['rollout/success_rate', 'Success in training'],
  ] as const) {
    const series = metrics?.series[metric];
    const before = firstValue(series);
    const now = valueAt(series) ?? undefined;
    if (before === undefined || now === undefined) continue;
    const [area] = metric.split('/');
    const [low, high] = ['low', 'high'].map((end) => valueAt(metrics?.series[`${area}/success_${end}`]));
    const interval =
      typeof low === 'number' && typeof high === 'number'
        ? ` [${formatShare(low)}, ${formatShare(high)}]`
        : '';
    if (series !== undefined && series.steps.length < 2) return ` ${name} is ${formatShare(now)}${interval}.`;
    const way = now > before ? 'rose' : now < before ? 'fell' : 'stayed';
    if (way === 'stayed') return ` ${name} stayed at ${formatShare(now)}${interval}.`;
    return ` ${name} ${way} from ${formatShare(before)} to ${formatShare(now)}${interval}.`;
  }
  const reward = metrics?.series['rollout/reward_mean'];
  const before = firstValue(reward);
  const now = valueAt(reward) ?? undefined;
  return before === undefined || now === undefined
    ? ''
    : ` Reward went from ${formatNumber(before)} to ${formatNumber(now)}.`;
}

/** @file Which metrics of a run become curves, under which name, with which unit and axis. */
import type { MetricRow } from '@espalier/recorder';
import type { Points } from './result.js';

export interface CurveKind {
  readonly metric: string;
  readonly title: string;
  readonly unit: string;
  /** shown as percent */
  readonly percent?: boolean;
}

export const curveKinds = {
  success: { metric: 'rollout/success_rate', title: 'success in training', unit: '%', percent: true },
  rewardDeviation: {
    metric: 'rollout/reward_std',
    title: 'reward deviation within groups',
    unit: 'reward',
  },
  groupsWithoutSignal: {
    metric: 'select/zero_variance_share',
    title: 'groups without signal',
    unit: '%',
    percent: true,
  },
  entropy: { metric: 'rollout/entropy', title: 'entropy', unit: 'nats per token' },
  gradientNorm: { metric: 'policy/gradient_norm', title: 'gradient norm', unit: 'before clipping' },
  responseLength: { metric: 'rollout/response_length', title: 'response length', unit: 'tokens per turn' },
  formatValid: { metric: 'rollout/format_valid_share', title: 'valid format', unit: '%', percent: true },
  distinctThoughts: {
    metric: 'rollout/distinct_thought_share',
    title: 'distinct thoughts',
    unit: '%',
    percent: true,
  },
  approxKl: { metric: 'policy/approx_kl', title: 'drift within an update', unit: 'nats' },
  explainedVariance: { metric: 'critic/explained_variance', title: 'explained variance', unit: '1' },
} as const satisfies Record<string, CurveKind>;

export type CurveName = keyof typeof curveKinds;

/** Five significant digits are more than a picture shows. */
export const round = (value: number): number => Number(value.toPrecision(5));

/** Takes the curves out of a run's rows; a metric the run does not report is left out. */
export function collectCurves(rows: readonly MetricRow[]): Partial<Record<CurveName, Points>> {
  const curves = Object.entries(curveKinds).map(([name, { metric }]) => {
    const points = rows.flatMap(({ step, values }) => {
      const value = values[metric];
      return value === undefined || !Number.isFinite(value) ? [] : [[step, round(value)] as const];
    });
    return [name, points] as const;
  });
  return Object.fromEntries(curves.filter(([, points]) => points.length > 0));
}

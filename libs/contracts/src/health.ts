/** @file The health of a run as the collapse monitor reports it. The rules themselves are in `@espalier/diagnostics`. */

export const healthStates = ['healthy', 'warning', 'collapsed'] as const;
export type HealthState = (typeof healthStates)[number];

/** Most rules compare with a start of which at least one value is not in their window of three. */
const firstComparison = 4;

/** What is said of a run whose health nothing has changed: with too few checks that means nothing. */
export const describeUnchanged = (step: number, every: number): string =>
  step < firstComparison * every ? 'not judged yet: the monitor compares from its fourth check on' : '';

/** The rules of the collapse monitor: what each looks for. docs/learn/collapse.md has inputs, limits and sources. */
export const ruleMeanings = {
  'update-drift': 'one update moves the policy far from the one that sampled',
  'reward-deviation': 'the members of a group earn the same, and success has not risen',
  'deviation-lost':
    'for ten checks in a row the deviation of rewards is below a tenth of what it was at the start, and success has not risen',
  'entropy-fall': 'the policy is sure of itself, and success has not risen',
  'entropy-rise': 'the policy forgets what it could, and success has not risen',
  'gradient-spike': 'a gradient is far above those before it',
  'gradient-lost': 'there is next to no gradient, and success has not risen',
  'short-reasoning': 'the reasoning shrinks, and success has not risen',
  'long-reasoning': 'the reasoning grows, and success has not risen',
  'invalid-format': 'replies lose the required format',
  'few-phrases': 'there are few different phrases, and success has not risen',
  'one-answer-for-all': 'different prompts get the same text, and success has not risen',
  'template-collapse': 'the reasoning fits any prompt of the batch, and success has not risen',
  'policy-drift': 'on fixed prompts the policy is far from its start, and success has not risen',
  'success-decline': 'success and the deviation within groups go on falling below their start',
  'success-drop': 'success has fallen below 60 % of its best',
  'validation-lost': 'five validations in a row are below 1 %',
} as const;
export type RuleName = keyof typeof ruleMeanings;
export const ruleNames = Object.keys(ruleMeanings) as [RuleName];

/** The health of a run in short. */
export interface HealthSummary {
  readonly state: HealthState;
  /** step at which it entered the state; 0 = it has always been in it */
  readonly since: number;
  /** what was found then; empty: nothing */
  readonly evidence: string;
}

/** A rule that fires, and what it was computed from. */
export interface HealthFinding {
  readonly rule: RuleName;
  readonly level: Exclude<HealthState, 'healthy'>;
  /** what the rule looks at; `tag/<tag>/…`: in one environment of several */
  readonly input: string;
  /** what the limit is about */
  readonly measure: number;
  /** the limit that it has passed */
  readonly limit: number;
  /** the value of the input, averaged as the rule says */
  readonly value: number;
  /** what the value was compared with; null: nothing */
  readonly baseline: number | null;
  /** step of the first check of those in a row at which the rule fired */
  readonly since: number;
  /** the latest values of the input, oldest first */
  readonly history: readonly number[];
}

/** What the monitor does when the health of a run gets worse. */
export const monitorActions = ['alert', 'pause', 'stop', 'rollBack'] as const;
export type MonitorAction = (typeof monitorActions)[number];

/** A setting that a roll-back has changed. */
export interface ChangedSetting {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export { runOutcomes } from './run-outcomes.js';
export * from './spec-changes.js';

/** Where an input of the monitor comes from: the first of these metrics that a run has; a complement is 1 − the metric. */
interface InputMetrics {
  readonly metrics: readonly string[];
  readonly isComplement?: boolean;
}

/** The metrics of each input. */
const healthInputMetrics: Readonly<Record<string, InputMetrics>> = {
  success: { metrics: ['rollout/success_rate'] },
  rewardDeviation: { metrics: ['rollout/reward_std'] },
  entropy: { metrics: ['rollout/entropy'] },
  gradientNorm: { metrics: ['policy/gradient_norm'] },
  reasoningLength: { metrics: ['rollout/reasoning_length'] },
  replyLength: { metrics: ['rollout/response_length'] },
  validFormat: { metrics: ['rollout/format_valid_share'] },
  distinct: { metrics: ['monitor/distinct_2'] },
  difference: { metrics: ['monitor/self_bleu'], isComplement: true },
  updateDrift: { metrics: ['policy/approx_kl'] },
  information: { metrics: ['monitor/mi_sequence'] },
  probeDrift: { metrics: ['monitor/probe_kl'] },
  validationSuccess: { metrics: ['validation/success_rate'] },
};

/** The environment that an input is of, in a run in several, and its name; `tag/near/success` is success in `near`. */
export function splitInput(input: string): { readonly tag: string | undefined; readonly name: string } {
  const [area, ...rest] = input.split('/');
  const name = rest.pop();
  return area === 'tag' && name !== undefined
    ? { tag: rest.join('/'), name }
    : { tag: undefined, name: input };
}

/** The metrics of an input of a run, or of one of its environments. */
export function metricsOfInput(input: string): InputMetrics {
  const { tag, name } = splitInput(input);
  const { metrics = [], ...rest } = healthInputMetrics[name] ?? {};
  return { ...rest, metrics: tag === undefined ? metrics : metrics.map((metric) => `tag/${tag}/${metric}`) };
}

/** What an input of the monitor is called where metrics are named; one that has no metric keeps its name. */
export function inputInMetrics(input: string): string {
  const { metrics, isComplement = false } = metricsOfInput(input);
  const [name = input] = metrics;
  return isComplement ? `1 − ${name}` : name;
}

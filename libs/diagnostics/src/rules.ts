/**
 * @file The rules of the monitor. Each compares one input with its start, its best or a fixed number, and has two limits:
 * one for a warning and one for a collapse. The limits were set on recorded runs; docs/learn/collapse.md has them with
 * their figures.
 */
import type { RuleName } from '@espalier/contracts/health';
import {
  baselineOf,
  estimateNoise,
  type HealthInput,
  type InputMemory,
  mean,
  median,
  noMemory,
} from './observation.js';

/** Limits of a rule; null: the rule never goes that far. */
export interface RuleLimits {
  readonly warning: number | null;
  readonly collapsed: number | null;
}

/** How far a rule went: the measure that its limits are about, and what it was computed from. */
export interface Measurement {
  readonly measure: number;
  readonly value: number;
  /** what the value was compared with; undefined: nothing */
  readonly baseline?: number | undefined;
  /** of what, where it is not the input of the rule */
  readonly input?: HealthInput;
}

/** What was remembered of every input, the latest check included. */
export type Memories = Readonly<Partial<Record<HealthInput, InputMemory>>>;

export interface HealthRule {
  readonly input: HealthInput;
  /** where the idea, or the limit, comes from */
  readonly source: string;
  readonly limits: RuleLimits;
  /** the measure must be below its limit, or above it */
  readonly side: 'below' | 'above';
  /** what the measure is, for people */
  readonly unit: string;
  /** how far it went, where "measure unit (input is value, was baseline)" does not say it */
  readonly summary?: (numbers: Readonly<Record<'value' | 'baseline' | 'measure', string>>) => string;
  /** how many of the latest values the measure is about */
  readonly window: number;
  /** values in a row for which it must fire; default: that of the settings */
  readonly patience?: number;
  /** counts only where another rule fires too */
  readonly isSupporting?: boolean;
  /** undefined: nothing can be said yet */
  readonly measure: (memories: Memories) => Measurement | undefined;
}

const recall = (memories: Memories, input: HealthInput): InputMemory => memories[input] ?? noMemory;
const latest = ({ recent }: InputMemory, window: number): number => mean(recent.slice(-window));

/**
 * The mean of the latest three values relative to the mean of the first.
 *
 * @param least a smaller start is too near to nothing to lose a share of it
 */
function relativeToStart(input: HealthInput, window = 3, least = 0): HealthRule['measure'] {
  return (memories) => {
    const memory = recall(memories, input);
    const baseline = baselineOf(memory, window);
    if (baseline === undefined || baseline <= least) return undefined;
    const value = latest(memory, window);
    return { measure: value / baseline, value, baseline };
  };
}

/** Reasoning of fewer tokens a turn is too near to nothing to lose a share of it. */
const leastReasoning = 1;

/** The length of reasoning relative to its start; that of replies where a run does not reason at its start. */
const lengthToStart: HealthRule['measure'] = (memories) => {
  const ofReasoning = relativeToStart('reasoningLength', 3, leastReasoning)(memories);
  if (ofReasoning !== undefined) return ofReasoning;
  const ofReplies = relativeToStart('replyLength')(memories);
  return ofReplies && { ...ofReplies, input: 'replyLength' };
};

/**
 * A policy that learns becomes sure of itself: deviation, entropy and variety fall while success rises. So these count only
 * while success is not above its start by a tenth, or is at least a quarter below its best.
 */
function unlessSuccessful(measure: HealthRule['measure']): HealthRule['measure'] {
  return (memories) => {
    const success = recall(memories, 'success');
    // the very first values: a bandit learns within five
    const start = success.count > 3 ? mean(success.first.slice(0, 2)) : undefined;
    if (start === undefined) return undefined;
    const now = latest(success, 3);
    const isGood = now > 1.1 * start && now > 0.75 * (success.best ?? 0);
    return isGood || now >= 0.9 ? undefined : measure(memories);
  };
}

/** How many deviations of its noise a difference of two means must have: the best of many means is high by chance alone. */
const clearly = { best: 3, start: 2 };

/** The latest mean of `window` values relative to a baseline of `size` values; 1 where the difference may be noise. */
function fall(
  memory: InputMemory,
  window: number,
  baseline: number,
  size: number,
  factor: number,
): Measurement {
  const value = latest(memory, window);
  const noise = factor * estimateNoise(memory) * Math.sqrt(1 / window + 1 / size);
  return { measure: baseline - value <= noise ? 1 : value / baseline, value, baseline };
}

/**
 * What fell further: the mean of five values from the best such mean, or, in the first ten steps, the mean of three from the
 * first two.
 */
const fallOfSuccess: HealthRule['measure'] = (memories) => {
  const memory = recall(memories, 'success');
  const { first, count, best } = memory;
  const start = mean(first.slice(0, 2));
  const falls = [
    ...(count >= 5 && count <= 10 && start > 0 ? [fall(memory, 3, start, 2, clearly.start)] : []),
    ...(best === null || best <= 0 ? [] : [fall(memory, 5, best, 5, clearly.best)]),
  ];
  return falls.toSorted((one, other) => one.measure - other.measure)[0];
};

/**
 * What the values of success have fallen below the first two, summed, while the deviation within groups falls too: a policy
 * that learns loses deviation but gains success, and noise moves one of them. Two first values that were good by chance would
 * be fallen below for ever, so once the latest five are others than the first five, they must be clearly below these.
 */
const declineOfBoth: HealthRule['measure'] = (memories) => {
  const success = recall(memories, 'success');
  const { first, recent, decline, count } = success;
  const value = recent.at(-1);
  if (value === undefined || recall(memories, 'rewardDeviation').decline <= 1) return undefined;
  const isClear = count < 10 || fall(success, 5, mean(first.slice(0, 5)), 5, clearly.start).measure < 1;
  return { measure: isClear ? decline : 0, value, baseline: mean(first.slice(0, 2)) };
};

/** The latest value relative to the median of those before it; undefined for a norm that clipping would leave alone. */
const relativeToMedian: HealthRule['measure'] = (memories) => {
  const { recent } = recall(memories, 'gradientNorm');
  const value = recent.at(-1);
  if (value === undefined || recent.length < 6) return undefined;
  const baseline = median(recent.slice(0, -1));
  if (baseline <= 0) return undefined;
  return { measure: value < 3 ? 0 : value / baseline, value, baseline };
};

/** The largest of the latest ten values relative to the mean of the first ten. */
const largestOfTen: HealthRule['measure'] = (memories) => {
  const { first, recent, count } = recall(memories, 'rewardDeviation');
  const baseline = mean(first);
  if (count < 20 || baseline <= 0) return undefined;
  const value = Math.max(...recent);
  return { measure: value / baseline, value, baseline };
};

/** The largest of the latest five values. */
const largestOfFive: HealthRule['measure'] = (memories) => {
  const { recent } = recall(memories, 'validationSuccess');
  if (recent.length < 5) return undefined;
  const value = Math.max(...recent.slice(-5));
  return { measure: value, value };
};

/** The mean of the latest values as it is. */
function latestOf(input: HealthInput, window = 1): HealthRule['measure'] {
  return (memories) => {
    const memory = recall(memories, input);
    if (memory.recent.length === 0) return undefined;
    const value = latest(memory, window);
    return { measure: value, value };
  };
}

/** The rules by name, in the order in which they are reported. */
export const healthRules: Readonly<Record<RuleName, HealthRule>> = {
  'update-drift': {
    input: 'updateDrift',
    source: 'PPO (Schulman et al. 2017), section 4; limits: docs/learn/collapse.md',
    limits: { warning: 0.1, collapsed: 0.3 },
    side: 'above',
    unit: 'nats, mean of 2',
    window: 2,
    measure: latestOf('updateDrift', 2),
  },
  'reward-deviation': {
    input: 'rewardDeviation',
    source: 'RAGEN (2504.20073), figure 6',
    limits: { warning: 0.4, collapsed: 0.15 },
    side: 'below',
    unit: 'of its start, mean of 3',
    window: 3,
    patience: 1,
    measure: unlessSuccessful(relativeToStart('rewardDeviation')),
  },
  'deviation-lost': {
    input: 'rewardDeviation',
    source: 'RAGEN-2 (2604.06268), early stop',
    limits: { warning: null, collapsed: 0.1 },
    side: 'below',
    unit: 'of its start, largest of 10',
    window: 10,
    measure: unlessSuccessful(largestOfTen),
  },
  'entropy-fall': {
    input: 'entropy',
    source: 'RAGEN, figure 6; RAGEN-2',
    limits: { warning: 0.4, collapsed: 0.05 },
    side: 'below',
    unit: 'of its start, mean of 3',
    window: 3,
    measure: unlessSuccessful(relativeToStart('entropy')),
  },
  'entropy-rise': {
    input: 'entropy',
    source: 'docs/learn/collapse.md',
    limits: { warning: 4, collapsed: 8 },
    side: 'above',
    unit: 'of its start, mean of 3',
    window: 3,
    measure: unlessSuccessful(relativeToStart('entropy')),
  },
  'gradient-spike': {
    input: 'gradientNorm',
    source: 'RAGEN, figure 6',
    limits: { warning: 15, collapsed: null },
    side: 'above',
    unit: 'of the median before it',
    patience: 1,
    isSupporting: true,
    window: 1,
    measure: relativeToMedian,
  },
  'gradient-lost': {
    input: 'gradientNorm',
    source: 'RAGEN-2: no signal, no task gradient',
    limits: { warning: 0.001, collapsed: null },
    side: 'below',
    unit: 'of its start, mean of 3',
    window: 3,
    measure: unlessSuccessful(relativeToStart('gradientNorm')),
  },
  'short-reasoning': {
    input: 'reasoningLength',
    source: 'RAGEN, figure 11',
    limits: { warning: 0.5, collapsed: 0.2 },
    side: 'below',
    unit: 'of its start, mean of 3',
    window: 3,
    measure: unlessSuccessful(lengthToStart),
  },
  'long-reasoning': {
    input: 'reasoningLength',
    source: 'docs/learn/collapse.md',
    limits: { warning: 2, collapsed: 3 },
    side: 'above',
    unit: 'of its start, mean of 3',
    window: 3,
    measure: unlessSuccessful(lengthToStart),
  },
  'invalid-format': {
    input: 'validFormat',
    source: 'RAGEN-2, valid-thinking rate',
    limits: { warning: 0.75, collapsed: 0.6 },
    side: 'below',
    unit: 'of its start, mean of 3',
    window: 3,
    measure: relativeToStart('validFormat'),
  },
  'few-phrases': {
    input: 'distinct',
    source: 'Li et al. 2016, distinct-n',
    limits: { warning: 0.4, collapsed: null },
    side: 'below',
    unit: 'of its start, mean of 3',
    window: 3,
    measure: unlessSuccessful(relativeToStart('distinct')),
  },
  'one-answer-for-all': {
    input: 'difference',
    source: 'RAGEN, table 1; Zhu et al. 2018, Self-BLEU',
    limits: { warning: 0.4, collapsed: null },
    side: 'below',
    unit: 'of its start, mean of 3',
    window: 3,
    measure: unlessSuccessful(relativeToStart('difference', 3, 0.1)),
  },
  'template-collapse': {
    input: 'information',
    source: 'RAGEN-2, mutual information by cross-scoring',
    limits: { warning: 0.3, collapsed: null },
    side: 'below',
    unit: 'of its start, mean of 2',
    window: 2,
    patience: 1,
    measure: unlessSuccessful(relativeToStart('information', 2)),
  },
  'policy-drift': {
    input: 'probeDrift',
    source: 'docs/learn/collapse.md',
    limits: { warning: 0.5, collapsed: null },
    side: 'above',
    unit: 'nats per token',
    window: 1,
    patience: 1,
    measure: unlessSuccessful(latestOf('probeDrift')),
  },
  'success-decline': {
    input: 'success',
    source: 'RAGEN, figure 6; Page 1954, CUSUM',
    limits: { warning: 4, collapsed: null },
    side: 'above',
    unit: 'sum of its shortfalls from its start, in standard deviations of its noise',
    summary: ({ value, baseline, measure }) =>
      `success was ${baseline} at the start and is now ${value}, and its shortfalls add up to ${measure} standard deviations`,
    window: 3,
    patience: 1,
    measure: unlessSuccessful(declineOfBoth),
  },
  'success-drop': {
    input: 'success',
    source: 'the definition of a collapse, with another warning',
    limits: { warning: 0.6, collapsed: null },
    side: 'below',
    unit: 'of its best or its start',
    window: 5,
    patience: 1,
    measure: fallOfSuccess,
  },
  'validation-lost': {
    input: 'validationSuccess',
    source: 'RAGEN-2, early stop',
    limits: { warning: null, collapsed: 0.01 },
    side: 'below',
    unit: 'largest of 5',
    window: 5,
    patience: 1,
    measure: largestOfFive,
  },
};

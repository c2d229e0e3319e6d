/** @file What an evaluation found, as lines of text: success, or what stored trajectories are worth. */
import type { EvaluationResult } from '@espalier/protocol';
import { percent, short } from './numbers.js';

type Result = Pick<EvaluationResult, 'successRate' | 'successLow' | 'successHigh' | 'episodes'>;

/** Success with its interval. */
export function describeResult({ successRate, successLow, successHigh, episodes }: Result): string {
  const [low, high] = [successLow, successHigh].map((end) => (100 * end).toFixed(1));
  return `success ${percent(successRate)} [${low}, ${high}] of ${episodes}`;
}

const nats = (value: number | null, digits: number): string => value?.toFixed(digits) ?? '–';
const number = (value: number | null): string => (value === null ? '–' : short(value));

/** Lines about the totals, the metrics of the rewards, and the tokens of each step, as far as they were asked for. */
export function describeRescored({ rescoredRewards, metrics, rescoredTokens }: Rescored): string[] {
  return [...rewardLines(rescoredRewards ?? null, metrics), ...tokenLines(rescoredTokens ?? null)];
}

type StepTokens = NonNullable<EvaluationResult['rescoredTokens']>[number];

interface Rescored {
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly rescoredRewards?: EvaluationResult['rescoredRewards'] | null | undefined;
  readonly rescoredTokens?: readonly StepTokens[] | null | undefined;
}

function rewardLines(
  summary: NonNullable<EvaluationResult['rescoredRewards']> | null,
  metrics: Readonly<Record<string, number | null>>,
): string[] {
  if (summary === null) return [];
  const { meanStored, meanRescored, correlation, reversed, differingStored, differingRescored } = summary;
  return [
    `mean total ${number(meanStored)} → ${number(meanRescored)}, correlation ${correlation === null ? '– (one does not vary)' : short(correlation)}`,
    `groups whose members differ ${percent(differingStored)} → ${percent(differingRescored)}; pairs told apart the other way ${reversed === null ? '–' : percent(reversed)}`,
    ...Object.entries(metrics).map(([name, value]) => `  ${name.padEnd(36)} ${number(value)}`),
  ];
}

function tokenLines(steps: readonly StepTokens[] | null): string[] {
  if (steps === null) return [];
  return [
    'step   tokens  log-prob: stored     model  entropy: stored     model  KL per token',
    ...steps.map(({ step, tokens, logprobStored, logprobModel, entropyStored, entropyModel, kl }) =>
      [
        String(step).padStart(4),
        String(tokens).padStart(8),
        nats(logprobStored, 4).padStart(17),
        nats(logprobModel, 4).padStart(9),
        nats(entropyStored, 4).padStart(16),
        nats(entropyModel, 4).padStart(9),
        (kl === null ? '–' : kl.toExponential(2)).padStart(13),
      ].join(' '),
    ),
  ];
}

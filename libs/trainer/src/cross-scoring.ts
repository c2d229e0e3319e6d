/**
 * @file Scores first reasonings of an iteration under the first prompts of the others with the present policy, for RAGEN-2's
 * mutual-information proxy. Equal prompts are scored once; what scores share of a prompt is computed once by the engine.
 */
import {
  defineMetric,
  type ScoreRequest,
  type ScoringModel,
  type Tokenizer,
  type Trajectory,
  type TrajectoryGroup,
} from '@espalier/contracts';
import {
  type CrossScores,
  estimateChanceRetrieval,
  estimateInformation,
  estimateRetrieval,
} from '@espalier/diagnostics';

/** How many prompts a retrieval may name. */
const places = [1, 4] as const;

const MATCHED = defineMetric({
  name: 'monitor/mi_matched',
  unit: 'nats',
  formula:
    'mean log-probability per token of a first reasoning (without any: reply) under its own first prompt, by the updated policy',
});
const MARGINAL = defineMetric({
  name: 'monitor/mi_marginal',
  unit: 'nats',
  formula:
    'mean over the same reasonings of log mean exp of their log-probabilities per token under each first prompt',
});
const ESTIMATE = defineMetric({
  name: 'monitor/mi_estimate',
  unit: 'nats',
  formula: 'monitor/mi_matched − monitor/mi_marginal: the estimate of RAGEN-2 from means over tokens',
});
const Z_SCORE = defineMetric({
  name: 'monitor/mi_zscore',
  unit: '1',
  formula: 'mean of (matched − marginal) / (standard deviation of marginal + 0.001), from means over tokens',
});
const SEQUENCE = defineMetric({
  name: 'monitor/mi_sequence',
  unit: 'nats',
  formula:
    'the same difference from sums over tokens: nats that a reasoning tells about its prompt, at most log of the number of prompts',
});
for (const k of places)
  defineMetric({
    name: `monitor/mi_retrieval_${k}`,
    unit: 'probability',
    formula: `reasonings whose own prompt is among the ${k === 1 ? 'one' : k} that make them most likely, by means over tokens; equal prompts count as the own one, ties by chance`,
  });
for (const k of places)
  defineMetric({
    name: `monitor/mi_retrieval_${k}_chance`,
    unit: 'probability',
    formula: `what monitor/mi_retrieval_${k} is for reasonings that fit any prompt`,
  });

/** The first reasoning of a trajectory and what it follows. */
interface FirstReasoning {
  readonly prompt: Int32Array;
  readonly reasoning: Int32Array;
}

export interface CrossScoringParts {
  readonly policy: Pick<ScoringModel, 'score'>;
  readonly tokenizer: Pick<Tokenizer, 'decode'>;
  readonly contextLength: number;
  /** most reasonings */
  readonly samples: number;
  /** of the rollout */
  readonly temperature: number;
}

/** Measures how much the first reasonings tell about their prompts; no metrics for fewer than two different prompts. */
export async function measureInformation(
  groups: readonly TrajectoryGroup[],
  parts: CrossScoringParts,
): Promise<Record<string, number>> {
  const chosen = chooseReasonings(groups, parts);
  const keys = chosen.map(({ prompt }) => prompt.join());
  const columns = [...new Set(keys)];
  if (columns.length < 2) return {};
  const prompts = columns.map((key) => (chosen[keys.indexOf(key)] as FirstReasoning).prompt);
  const requests = chosen.flatMap(({ reasoning }) =>
    prompts.map((prompt) => requestOf(prompt, reasoning, parts.temperature)),
  );
  const answers = await parts.policy.score(requests);
  const sums = chosen.map((_, row) =>
    keys.map((key) => {
      const scores = answers[row * columns.length + columns.indexOf(key)];
      return [...(scores?.logprobs ?? [])].reduce((sum, value) => sum + value, 0);
    }),
  );
  const means = sums.map((row, index) =>
    row.map((sum) => sum / (chosen[index] as FirstReasoning).reasoning.length),
  );
  return informationMetrics(sums, { scores: means, prompts: keys });
}

function informationMetrics(sums: CrossScores['scores'], means: CrossScores): Record<string, number> {
  const { matched, marginal, information, zScore } = estimateInformation(means);
  const retrieval = places.flatMap((k) => [
    [`monitor/mi_retrieval_${k}`, estimateRetrieval(means, k)] as const,
    [`monitor/mi_retrieval_${k}_chance`, estimateChanceRetrieval(means, k)] as const,
  ]);
  return {
    [MATCHED.name]: matched,
    [MARGINAL.name]: marginal,
    [ESTIMATE.name]: information,
    [Z_SCORE.name]: zScore,
    [SEQUENCE.name]: estimateInformation({ scores: sums }).information,
    ...(Object.fromEntries(retrieval) as Record<string, number>),
  };
}

/** Takes first members of all groups, then second ones, up to `samples`; a reasoning must fit behind every prompt. */
function chooseReasonings(
  groups: readonly TrajectoryGroup[],
  { tokenizer, contextLength, samples }: CrossScoringParts,
): FirstReasoning[] {
  const members = Math.max(0, ...groups.map(({ trajectories }) => trajectories.length));
  const inOrder = Array.from({ length: members }, (_, index) =>
    groups.flatMap(({ trajectories }) => trajectories[index] ?? []),
  ).flat();
  const kind = inOrder.some((one) => spanOf(one, 'think') !== undefined) ? 'think' : 'answer';
  const found = inOrder.flatMap((one) => readReasoning(one, kind, tokenizer) ?? []).slice(0, samples);
  const longest = Math.max(0, ...found.map(({ prompt }) => prompt.length));
  return found.filter(({ reasoning }) => longest + reasoning.length <= contextLength);
}

const spanOf = ({ spans }: Trajectory, kind: 'think' | 'answer') =>
  spans.find((span) => span.kind === kind && span.turn === 0);

/** Reads the first reasoning (or reply) without the tokens of its tags; undefined where there is none. */
function readReasoning(
  trajectory: Trajectory,
  kind: 'think' | 'answer',
  tokenizer: Pick<Tokenizer, 'decode'>,
): FirstReasoning | undefined {
  const span = spanOf(trajectory, kind);
  if (span === undefined) return undefined;
  const { tokens } = trajectory;
  const own = tokens.subarray(span.start, span.end);
  const text = tokenizer.decode(own);
  const opening = /^\s*<(?:think|answer)>/.exec(text)?.[0].length ?? 0;
  const closing = /<\/(?:think|answer)>/.exec(text)?.index ?? text.length;
  const lengthOf = (count: number): number => tokenizer.decode(own.subarray(0, count)).length;
  const from = findCount(own.length, (count) => lengthOf(count) >= opening);
  const to =
    closing === text.length ? own.length : findCount(own.length, (count) => lengthOf(count) > closing) - 1;
  if (to <= from) return undefined;
  const start = span.start + from;
  return { prompt: tokens.subarray(0, start), reasoning: tokens.subarray(start, span.start + to) };
}

/** Finds the fewest tokens that hold something, where more tokens hold it too. */
function findCount(most: number, holds: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function requestOf(prompt: Int32Array, reasoning: Int32Array, temperature: number): ScoreRequest {
  const tokens = new Int32Array(prompt.length + reasoning.length);
  tokens.set(prompt);
  tokens.set(reasoning, prompt.length);
  const positions = Int32Array.from(reasoning, (_, index) => prompt.length + index);
  return { tokens, positions, temperature };
}

/**
 * @file Records what an update did to each trajectory and its tokens: the credit that the loss read, the trainer's own
 * log-probabilities, and ratio, loss, gradient and clipping at the last optimizer pass. Recording reads only, so that it
 * changes no result.
 */
import type {
  ForwardBackwardResult,
  LossSpec,
  RunSpec,
  TokenScores,
  Trajectory,
  TrajectoryGroup,
} from '@espalier/contracts';
import type { ClipSide, TokenUpdates, UpdateOutcome, UpdateRecord } from '@espalier/contracts/update-record';
import { estimateTokenEffects, type TokenEffects } from '@espalier/objective';
import {
  joinByTrajectory,
  joinColumns,
  joinScores,
  listLossPositions,
  type TrainingExample,
} from './batch.js';

/** One loss in an optimizer step of the policy: its part of the mini-batch. */
export interface PolicyPass {
  /** with the columns of the step */
  readonly examples: readonly TrainingExample[];
  readonly loss: LossSpec;
  readonly scores: ForwardBackwardResult['scores'];
  /** of each example's tokens in the mini-batch */
  readonly weights: readonly Float32Array[];
  /** optimizer steps of the policy before it, in this iteration */
  readonly stepsBefore: number;
}

/** What the passes over a trajectory have come to. */
interface TrainedTokens {
  /** absent: the loss cannot be evaluated here */
  readonly evaluated?: {
    /** Σ over passes and tokens of |weight · ∂loss/∂log-probability| */
    readonly pull: number;
    readonly clippedTokens: number;
  };
  readonly tokens: Omit<TokenUpdates, 'ranges' | 'returns' | 'referenceLogprobs' | 'samplerWeights'>;
}

interface ReplayedPasses {
  /** trajectories that the policy has learned from; undefined: nothing is known of their tokens */
  readonly trained: ReadonlyMap<Trajectory, TrainedTokens | undefined>;
  /** Σ pull */
  readonly total: number;
}

/** Evaluates the loss of each pass token by token, at the log-probabilities that the engine had. */
function replayPasses(passes: readonly PolicyPass[]): ReplayedPasses {
  const trained = new Map<Trajectory, TrainedTokens | undefined>();
  for (const pass of passes) {
    const { examples, scores } = pass;
    if (scores === undefined)
      for (const { trajectory } of examples) trained.set(trajectory, trained.get(trajectory));
    else replayPass(pass, joinByTrajectory(examples, scores, joinScores), trained);
  }
  const total = [...trained.values()].reduce((sum, own) => sum + (own?.evaluated?.pull ?? 0), 0);
  return { trained, total };
}

function replayPass(
  { examples, loss, weights, stepsBefore }: PolicyPass,
  scores: readonly TokenScores[],
  trained: Map<Trajectory, TrainedTokens | undefined>,
): void {
  const joined = (name: string): Float32Array =>
    joinColumns(examples.map(({ columns }) => columns[name] ?? new Float32Array()));
  const effects = estimateTokenEffects(loss, {
    ...joinScores(scores),
    columns: Object.fromEntries(loss.columns.map((name) => [name, joined(name)])),
  });
  let from = 0;
  examples.forEach(({ trajectory, positions, columns }, index) => {
    const first = trained.get(trajectory);
    const part = { from, to: (from += positions.length) };
    const own = effects && cutEffects(effects, part, weights[index] ?? new Float32Array());
    trained.set(trajectory, {
      ...(own === undefined
        ? {}
        : {
            evaluated: {
              pull: own.columns.gradientWeights.reduce(
                (sum, weight) => sum + Math.abs(weight),
                first?.evaluated?.pull ?? 0,
              ),
              clippedTokens: own.clippedTokens,
            },
          }),
      tokens: {
        advantages: columns['advantages'] ?? new Float32Array(),
        ...(first === undefined ? firstSight(columns, scores[index], stepsBefore) : sightOf(first.tokens)),
        lastPassSteps: stepsBefore,
        ...own?.columns,
      },
    });
  });
}

type FirstSight = Pick<TrainedTokens['tokens'], 'trainerLogprobs' | 'firstPassSteps'>;

/** What the trainer first made of the tokens: before the update, where a correction of the sampler asked for it. */
function firstSight(
  { samplerWeights, oldLogprobs }: TrainingExample['columns'],
  scores: TokenScores | undefined,
  stepsBefore: number,
): FirstSight {
  if (samplerWeights !== undefined && oldLogprobs !== undefined)
    return { trainerLogprobs: oldLogprobs, firstPassSteps: 0 };
  return { trainerLogprobs: scores?.logprobs ?? new Float32Array(), firstPassSteps: stepsBefore };
}

const sightOf = ({ trainerLogprobs, firstPassSteps }: FirstSight): FirstSight => ({
  ...(trainerLogprobs === undefined ? {} : { trainerLogprobs }),
  ...(firstPassSteps === undefined ? {} : { firstPassSteps }),
});

function cutEffects(
  { losses, gradients, ratios, clipped }: TokenEffects,
  { from, to }: { readonly from: number; readonly to: number },
  weights: Float32Array,
) {
  const sides = clipped.slice(from, to);
  return {
    clippedTokens: sides.filter((side) => side !== undefined).length,
    columns: {
      losses: Float32Array.from(losses.slice(from, to)),
      gradientWeights: Float32Array.from(
        gradients.slice(from, to),
        (gradient, n) => -gradient * (weights[n] ?? 0),
      ),
      clipped: indicesBySide(sides),
      ...(ratios === undefined ? {} : { ratios: Float32Array.from(ratios.slice(from, to)) }),
    },
  };
}

function indicesBySide(sides: readonly (ClipSide | undefined)[]): NonNullable<TokenUpdates['clipped']> {
  const found: { [Side in ClipSide]?: number[] } = {};
  sides.forEach((side, index) => {
    if (side !== undefined) (found[side] ??= []).push(index);
  });
  return Object.fromEntries(Object.entries(found).map(([side, indices]) => [side, Int32Array.from(indices)]));
}

export interface RecordedUpdate {
  readonly spec: RunSpec;
  readonly groups: readonly Pick<TrajectoryGroup, 'trajectories' | 'greedyBaseline'>[];
  readonly failed: readonly Trajectory[];
  /** indices of the kept groups */
  readonly kept: readonly number[];
  readonly examples: readonly TrainingExample[];
  /** false: nothing taught the policy */
  readonly hasSignal: boolean;
  /** of the policy that the update began with */
  readonly policyVersion: number;
  /** optimizer steps of the policy, in order */
  readonly passes: readonly PolicyPass[];
}

/** Makes the record of every trajectory of a step; those with the largest share keep their tokens. */
export function makeUpdateRecords(parts: RecordedUpdate): Map<Trajectory, UpdateRecord> {
  const { spec, examples } = parts;
  const replayed = replayPasses(parts.passes);
  const pullOf = ({ trajectory }: TrainingExample): number =>
    replayed.trained.get(trajectory)?.evaluated?.pull ?? 0;
  // the sort is stable: of equal shares the first ones
  const stored = [...examples].sort((a, b) => pullOf(b) - pullOf(a)).slice(0, spec.update.tokenRecords);
  const storedOf = new Map(stored.map((example) => [example.trajectory, example]));
  const records = new Map<Trajectory, UpdateRecord>();
  for (const [trajectory, outcome] of listOutcomes(parts, replayed)) {
    const example = storedOf.get(trajectory);
    records.set(trajectory, {
      outcome,
      lossTokens: listLossPositions(trajectory, spec.update.lossMask).length,
      ...summarize(trajectory, replayed),
      policyVersion: parts.policyVersion,
      ...(example === undefined ? {} : { tokens: tokensOf(example, replayed) }),
    });
  }
  return records;
}

function listOutcomes(
  parts: RecordedUpdate,
  { trained }: ReplayedPasses,
): (readonly [Trajectory, UpdateOutcome])[] {
  const credited = new Set(parts.examples.map(({ trajectory }) => trajectory));
  const kept = new Set(parts.kept);
  const outcomeOfKept = (trajectory: Trajectory): UpdateOutcome => {
    if (!credited.has(trajectory)) return 'no-loss-tokens';
    if (trained.has(trajectory)) return 'trained';
    return parts.hasSignal ? 'critic-only' : 'no-signal';
  };
  return [
    ...parts.groups.flatMap(({ trajectories }, index) =>
      trajectories.map((one) => [one, kept.has(index) ? outcomeOfKept(one) : 'dropped'] as const),
    ),
    ...parts.groups.flatMap(({ greedyBaseline }) =>
      greedyBaseline === undefined ? [] : [[greedyBaseline, 'greedy-baseline'] as const],
    ),
    ...parts.failed.map((one) => [one, 'failed'] as const),
  ];
}

function summarize(
  trajectory: Trajectory,
  { trained, total }: ReplayedPasses,
): Pick<UpdateRecord, 'clippedTokens' | 'share'> {
  const own = trained.get(trajectory)?.evaluated;
  if (own === undefined) return {};
  return { clippedTokens: own.clippedTokens, share: total > 0 ? own.pull / total : 0 };
}

function tokensOf(
  { trajectory, positions, columns }: TrainingExample,
  { trained }: ReplayedPasses,
): TokenUpdates {
  const { returns, referenceLogprobs, samplerWeights } = columns;
  return {
    ranges: toRanges(positions),
    advantages: columns['advantages'] ?? new Float32Array(),
    ...(returns === undefined ? {} : { returns }),
    ...(referenceLogprobs === undefined ? {} : { referenceLogprobs }),
    ...(samplerWeights === undefined ? {} : { samplerWeights }),
    ...trained.get(trajectory)?.tokens,
  };
}

/** Ranges of ascending positions: start and end of each, flat. */
function toRanges(positions: Int32Array): Int32Array {
  const ranges: number[] = [];
  for (const position of positions) {
    if (ranges.at(-1) === position) ranges[ranges.length - 1] = position + 1;
    else ranges.push(position, position + 1);
  }
  return Int32Array.from(ranges);
}

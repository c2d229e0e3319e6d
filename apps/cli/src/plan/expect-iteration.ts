/** @file One expected iteration as work: sampling steps, micro-batches of scoring and training, optimizer steps. */
import type { ResolvedRun } from '@espalier/config';
import type { ScoreRequest } from '@espalier/contracts';
import { resolveSamplerCorrection } from '@espalier/contracts/sampler-correction';
import { measurePadding } from '@espalier/engine';
import type { GraphCost } from '@espalier/graph';
import type { ExpectedTurn } from '@espalier/imitation';
import { expectSampling, type SamplingWork } from './expect-sampling.js';
import type { RunGraphs, SequenceSizes } from './run-graphs.js';

export interface IterationWork {
  readonly sampling: SamplingWork;
  /** per graph over sequences: how it is known to the engine, and each of its runs */
  readonly sequences: readonly { readonly session: string; readonly cost: GraphCost }[];
  readonly optimizerSteps: number;
  /** of the kept trajectories over all passes, padding not */
  readonly trainedTokens: number;
  readonly paddingShare: number;
}

/** A run, and which of its groups, in the order of the episodes, are compared with a greedy trajectory; default: none. */
export interface ExpectedRun extends Pick<ResolvedRun, 'spec' | 'derived'> {
  readonly compared?: readonly boolean[];
}

/** Lists the work of one iteration in which the trajectories are as long as `episodes` say. */
export function expectIteration(
  { spec, derived, compared }: ExpectedRun,
  episodes: readonly (readonly ExpectedTurn[])[],
  graphs: RunGraphs,
): IterationWork {
  const { groupSize } = spec.rollout;
  const { epochs, miniBatches, microBatchTokens, observationLoss, selfDistillation } = spec.update;
  const { criticEpochs = epochs, criticMiniBatches = miniBatches } = spec.update;
  const groups = learnedGroups(derived);
  const count = episodes.length === 0 ? 0 : groups * groupSize;
  // replayed episodes are as long as new ones
  const windows = Array.from(
    { length: count },
    (_, index) => episodes[index % episodes.length] ?? [],
  ).flatMap((turns, index) => cutExpected(turns).map((own) => ({ own, index })));
  const turnsOf = new Map(
    windows.map(({ own, index }, place) => {
      const request = requestOf(own, place, Math.floor(index / groupSize));
      return [request, own];
    }),
  );
  const kept = [...turnsOf.keys()];
  const withObserved = (request: ScoreRequest): ScoreRequest => ({
    ...request,
    positions: Int32Array.from([
      ...request.positions,
      ...observationsOf(turnsOf.get(request) ?? [], request).positions,
    ]).sort((a, b) => a - b),
  });
  const sequences: { session: string; cost: GraphCost }[] = [];
  const add = (
    session: string,
    list: readonly ScoreRequest[],
    costOf: (sizes: SequenceSizes) => GraphCost,
  ): ReturnType<typeof measurePadding> => {
    const report = measurePadding(list, microBatchTokens);
    for (const sizes of report.microBatches)
      sequences.push({ session: `${session} ${JSON.stringify(sizes.layout)}`, cost: costOf(sizes) });
    return report;
  };
  for (const { session, model, requests } of listScored({ spec, derived }, kept, graphs))
    add(session, requests, (sizes) => graphs.score(model, sizes));
  const played = withGreedy(episodes, groupSize, compared);
  const groupCount = Math.max(1, episodes.length / groupSize);
  let tokens = 0;
  let computed = 0;
  let padded = 0;
  let steps = 0;
  // strided, so that each part has long and short ones, as shuffled parts do
  const split = (parts: number) =>
    Array.from({ length: Math.min(parts, kept.length) }, (_, part) =>
      kept.filter((_one, index) => index % parts === part),
    );
  for (let pass = 0; pass < graphs.critics * criticEpochs; pass += 1)
    for (const list of split(criticMiniBatches)) {
      add('critic', list, (sizes) => graphs.train('critic', sizes));
      steps += 1;
    }
  for (let pass = 0; pass < epochs; pass += 1) {
    for (const list of split(miniBatches)) {
      const learned = observationLoss.coefficient > 0 ? list.map(withObserved) : list;
      const report = add('policy', learned, (sizes) => graphs.train('policy', sizes));
      if (selfDistillation.coefficient > 0)
        add('distillation', list, (sizes) => graphs.train('policy', sizes));
      tokens += report.tokens;
      computed += report.computedTokens;
      padded += report.share * report.computedTokens;
      steps += 1;
    }
  }
  const isDevice = spec.device.provider === 'cuda' || spec.device.provider === 'webgpu';
  return {
    sampling: expectSampling(played, played.length / groupCount, graphs, isDevice),
    sequences,
    optimizerSteps: steps,
    trainedTokens: tokens,
    paddingShare: computed === 0 ? 0 : padded / computed,
  };
}

const replayedGroups = ({ schedule }: ExpectedRun['derived']): number => schedule?.replayedGroupsPerStep ?? 0;
const learnedGroups = (derived: ExpectedRun['derived']): number =>
  derived.keptGroupsPerStep + replayedGroups(derived);

/** Lists what models are asked before the update. */
function listScored(
  { spec, derived }: ExpectedRun,
  kept: readonly ScoreRequest[],
  graphs: RunGraphs,
): { session: string; model: Parameters<RunGraphs['score']>[0]; requests: readonly ScoreRequest[] }[] {
  const isCorrected = resolveSamplerCorrection(spec) !== undefined;
  // as if every trajectory had a teacher; those that succeed have none
  const taught = spec.update.selfDistillation.coefficient > 0 ? kept : [];
  const lateShare = spec.rollout.ahead > 0 ? 1 : replayedGroups(derived) / learnedGroups(derived);
  const late = isCorrected ? [] : taught.slice(0, Math.round(taught.length * lateShare));
  return [
    ...Array.from({ length: graphs.critics }, () => ({
      session: 'values',
      model: 'critic' as const,
      requests: kept,
    })),
    { session: 'old', model: 'policy' as const, requests: isCorrected ? kept : [] },
    { session: 'reference', model: 'policy' as const, requests: graphs.reference ? kept : [] },
    { session: 'teacher', model: 'policy' as const, requests: taught.map(behindSibling) },
    { session: 'student', model: 'policy' as const, requests: late },
  ].filter(({ requests }) => requests.length > 0);
}

/** The episodes of a step, and behind those of a group the greedy one that they are compared with; it is as long as the one before. */
export function withGreedy(
  episodes: readonly (readonly ExpectedTurn[])[],
  groupSize: number,
  compared: ExpectedRun['compared'] = [],
): (readonly ExpectedTurn[])[] {
  return episodes.flatMap((turns, index) => {
    const isLast = index % groupSize === groupSize - 1;
    return isLast && compared[Math.floor(index / groupSize)] === true ? [turns, turns] : [turns];
  });
}

/** Cuts the turns of an episode at its windows. */
export function cutExpected(turns: readonly ExpectedTurn[]): ExpectedTurn[][] {
  const windows: ExpectedTurn[][] = [];
  for (const turn of turns) {
    const last = windows.at(-1);
    if (last === undefined || turn.isFresh === true) windows.push([turn]);
    else last.push(turn);
  }
  return windows;
}

/** A request as long as a window; what a first one is shown first is what its group is shown, all else is its own. */
function requestOf(turns: readonly ExpectedTurn[], index: number, group: number): ScoreRequest {
  const positions: number[] = [];
  let at = 0;
  for (const { shown, sampled } of turns) {
    at += shown;
    for (let i = 0; i < sampled; i += 1) positions.push(at + i);
    at += sampled;
  }
  const tokens = new Int32Array(at).fill(-1 - index);
  if (turns[0]?.isFresh !== true) tokens.fill(group, 0, turns[0]?.shown ?? 0);
  return { tokens, positions: Int32Array.from(positions) };
}

/** The same trajectory behind one that is as long. */
function behindSibling({ tokens, positions }: ScoreRequest): ScoreRequest {
  const both = new Int32Array(2 * tokens.length);
  both.set(tokens);
  both.set(tokens, tokens.length);
  return { tokens: both, positions: positions.map((t) => t + tokens.length) };
}

/** The same tokens, with those of the observations in the loss; the first stands behind a prompt and is as long as the next. */
function observationsOf(turns: readonly ExpectedTurn[], { tokens }: ScoreRequest): ScoreRequest {
  const positions: number[] = [];
  let at = 0;
  for (const [index, { shown, sampled }] of turns.entries()) {
    const length = index === 0 ? Math.min(shown, turns[1]?.shown ?? shown) : shown;
    for (let t = Math.max(1, at + shown - length); t < at + shown; t += 1) positions.push(t);
    at += shown + sampled;
  }
  return { tokens, positions: Int32Array.from(positions) };
}

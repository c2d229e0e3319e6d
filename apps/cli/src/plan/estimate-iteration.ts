/** @file From work to seconds and bytes. The factors are measured: docs/log/2026-11.md, "what a plan can know before a run". */
import type { RunSpec } from '@espalier/contracts';
import type { estimateModel, ModelConfig } from '@espalier/model';
import { estimateKeptSessions, isLargeModel } from '@espalier/engine';
import type { GraphCost } from '@espalier/graph';
import type { MachineRates } from './calibrate.js';
import type { IterationWork } from './expect-iteration.js';
import { cachedBytes } from './held-weights.js';

/** How much slower products and moves of real graphs are than the calibrated ones. */
const factors = { sequences: 1, prefill: 1.5, decode: 2 };
/** Seconds around each drawn token that are not the runtime's: draws, cache rows, text, the environment. */
const secondsPerToken = 20e-6;

/** What holds memory besides the graphs. */
export interface Holders {
  /** of the policy */
  readonly trainedParameters: number;
  /** bytes: weights, gradients and moments of all models, without what only sampling has */
  readonly weightBytes: number;
  /** bytes: weights that sampling computes from adapters and their base, or by rounding */
  readonly mergedBytes: number;
  /** what weights and cache of sampling are in; in bf16 no second layout of the matrices exists */
  readonly sampling: RunSpec['device']['sampling'];
  /** default: cpu */
  readonly provider?: RunSpec['device']['provider'];
  /** sequences sampled at once at most; a validation may have more than an iteration */
  readonly sequences: number;
  readonly microBatchTokens: number;
  /** that holds all of it, where it is known */
  readonly gpu?: { readonly bytes: number; readonly recomputes: boolean } | undefined;
}

/**
 * Seconds of one iteration, validation and saving left out.
 *
 * @param held bytes of the weights that are trained, and of those that sampling computes from them after an update
 */
export function estimateSeconds(
  work: IterationWork,
  held: { readonly trainedParameters: number; readonly mergedBytes: number },
  rates: MachineRates,
): { readonly collect: number; readonly update: number } {
  const { prefills, decodes, sampledTokens } = work.sampling;
  const total = (costs: readonly GraphCost[]): number => secondsOf(costs, rates);
  // the base is read, and what is merged is written twice: as it is, and in the layout of sampling
  const merging = (3 * held.mergedBytes) / rates.bytes;
  const collect =
    factors.prefill * total(prefills) +
    factors.decode * total(decodes) +
    secondsPerToken * sampledTokens +
    merging;
  const update = secondsOfUpdates(
    work.sequences.map(({ cost }) => cost),
    { steps: work.optimizerSteps, trainedParameters: held.trainedParameters },
    rates,
  );
  return { collect, update };
}

/** Seconds of graphs over sequences, and of the optimizer steps after them. */
export function secondsOfUpdates(
  costs: readonly GraphCost[],
  { steps, trainedParameters }: { readonly steps: number; readonly trainedParameters: number },
  rates: MachineRates,
): number {
  // weight, gradient and two moments are read, three of them written, and gradients read once for their norm
  const optimizer = (steps * 8 * 4 * trainedParameters) / rates.bytes;
  return factors.sequences * secondsOf(costs, rates) + optimizer;
}

const secondsOf = (costs: readonly GraphCost[], rates: MachineRates): number =>
  costs.reduce(
    (sum, { flop, movedBytes, nodes }) =>
      sum + flop / rates.flop + movedBytes / rates.bytes + nodes * rates.node,
    0,
  );

/** Resident bytes beyond what is counted: Node.js, the runtime, texts, and arrays that wait for a collection. */
export const baselineBytes = 240e6;
/** Memory that an arena takes for one live byte: micro-batches of other sizes do not fit into its holes exactly. */
export const arenaShare = 1.8;

/** Highest resident memory of the run's process, or of its GPU, in bytes, by what holds it. */
export function estimateMemory(
  work: IterationWork,
  model: ReturnType<typeof estimateModel>,
  config: ModelConfig,
  holders: Holders,
): { readonly models: number; readonly cache: number; readonly sessions: number; readonly total: number } {
  const { trainedParameters, weightBytes, mergedBytes, sampling: precision } = holders;
  const { sequences, microBatchTokens, gpu } = holders;
  const { layerCount, keyValueHeadCount, headSize } = config.shape;
  const { rows, width, prefixes, soloWidth, prefills, decodes } = work.sampling;
  // trajectories of a validation share no prompt; the memory stays as large as it once was
  const positions = Math.max(rows * width, sequences > rows ? sequences * soloWidth : 0);
  const cache =
    cachedBytes(holders) *
    2 *
    layerCount *
    keyValueHeadCount *
    headSize *
    (positions + prefixes.rows * prefixes.width);
  const largest = (costs: readonly GraphCost[]): number =>
    costs.reduce((most, { peakBytes }) => Math.max(most, peakBytes), 0);
  // over the iterations of a run every kept session meets a micro-batch as large as the largest of this one
  const names = new Set(work.sequences.map(({ session }) => session));
  const kept = Math.min(names.size, estimateKeptSessions(config, microBatchTokens, gpu));
  const one = largest(work.sequences.map(({ cost }) => cost));
  const growth = Math.max(1, sequences / rows);
  // matrices that decoding lays out are freed before the update, which copies gradients out of the runtime
  const sampling = {
    models: (precision === 'bf16' ? 0 : model.samplingWeightBytes) + mergedBytes,
    sessions: arenaShare * (largest(prefills) + growth * largest(decodes)),
  };
  const training = { models: 2 * 4 * trainedParameters, sessions: arenaShare * kept * one };
  const { models, sessions } = isLargeModel(config, gpu?.bytes)
    ? [sampling, training].reduce((a, b) => (a.models + a.sessions > b.models + b.sessions ? a : b))
    : {
        models: Math.max(sampling.models, training.models),
        sessions: sampling.sessions + training.sessions,
      };
  const total = baselineBytes + weightBytes + models + cache + sessions;
  // whole bytes, as the API has them
  return {
    models: Math.round(weightBytes + models),
    cache: Math.round(cache),
    sessions: Math.round(sessions),
    total: Math.round(total),
  };
}

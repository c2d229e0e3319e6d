/** @file Every graph that a run will use, built on demand; nothing is run. */
import type { RunSpec } from '@espalier/contracts';
import { countCritics, listAlgorithms } from '@espalier/contracts/mixing';
import { machineBytes } from '@espalier/contracts/values';
import { chooseRecompute, type PlannedMicroBatch, samplingRules } from '@espalier/engine';
import { dim, estimateGraphCost, type Graph, type GraphCost } from '@espalier/graph';
import {
  buildDecodeGraph,
  buildPrefillGraph,
  buildScoreGraph,
  buildTrainingGraph,
  chunkRows,
  estimateModel,
  hasLogitChunks,
  type LossGraph,
  type ModelConfig,
  packRows,
  roundLogitRows,
} from '@espalier/model';
import { resolveLora } from '@espalier/model/adapters';
import { countWeights } from './held-weights.js';
import type { Registry } from '../workspace.js';

export type Role = 'policy' | 'critic';

/** Prompts that are kept once for several sequences. */
export interface PrefixSizes {
  readonly rows: number;
  /** of the one that most refer to */
  readonly groupSize: number;
  readonly width: number;
}

/** Costs of one run of a graph at given sizes; equal questions are answered once. */
export interface RunGraphs {
  /** how many; all have the same graphs */
  readonly critics: number;
  readonly reference: boolean;
  /** layers are computed a second time instead of keeping their activations */
  readonly recomputes: boolean;
  prefill(sizes: {
    rows: number;
    tokens: number;
    draws: number;
    keys: number;
    slots: number;
    width: number;
    prefixes?: PrefixSizes;
  }): GraphCost;
  decode(sizes: { rows: number; width: number; prefixes?: PrefixSizes }): GraphCost;
  train(role: Role, sizes: SequenceSizes): GraphCost;
  score(role: Role, sizes: SequenceSizes): GraphCost;
  /** nodes of each graph, by a name for people */
  nodes(length: number): { readonly name: string; readonly nodes: number }[];
}

export type SequenceSizes = PlannedMicroBatch;

/** What a run finds where it starts. */
export interface RunSetting {
  readonly registry: Registry;
  /** memory of the GPU that it computes on; undefined for other providers, and where there is no GPU */
  readonly gpuBytes: number | undefined;
}

/** What is frozen in a model of a run with adapters. */
function frozenOf(config: ModelConfig, { lora }: RunSpec, role: Role) {
  if (lora === undefined || (role === 'critic' && lora.critic === 'model')) return {};
  const isLoraFrozen = role === 'critic' && lora.critic === 'head';
  const { baseDtype } = lora;
  return { isFrozen: true, baseDtype, lora: resolveLora(config, lora), isLoraFrozen };
}

/** Adapters that are trained drop inputs; which ones costs nothing. */
function dropoutOf({ lora }: RunSpec, role: Role): { rate: number; seed: number } | undefined {
  if (lora === undefined || lora.dropout === 0) return undefined;
  return role === 'policy' || lora.critic === 'adapter' ? { rate: lora.dropout, seed: 0 } : undefined;
}

/** The rows of the loss; with a large vocabulary a policy's number of them is part of the graph. */
function rowsOf({ shape: { vocabularySize } }: ModelConfig, role: Role, count: number) {
  if (role === 'critic' || !hasLogitChunks(vocabularySize)) return { rows: dim('N') };
  return { rows: roundLogitRows(count, vocabularySize), chunkRows: chunkRows(vocabularySize) };
}

/** Whether the engine of the run will recompute layers; on a GPU its memory decides. */
function recomputesLayers(
  spec: RunSpec,
  config: ModelConfig,
  needs: { readonly critics: number; readonly reference: boolean; readonly gpuBytes: number | undefined },
): boolean {
  const { parameterCount } = estimateModel(config, { batchTokens: 1, contextLength: 1, rows: 1 });
  const { memoryMb } = spec.device;
  return chooseRecompute(spec.update.recompute, {
    config,
    microBatchTokens: spec.update.microBatchTokens,
    parameterCount,
    trainedCount: countWeights(spec, config, needs).trainedParameters,
    baseDtype: spec.lora?.baseDtype,
    memoryBytes: needs.gpuBytes ?? (memoryMb === undefined ? machineBytes() : memoryMb * 2 ** 20),
  });
}

/** What the algorithms of a run need, and losses whose graphs stand for all: those of tags differ in a few operators per token. */
export function readAlgorithms(spec: RunSpec, registry: Registry) {
  const algorithms = listAlgorithms(spec).map(({ chosen: { use, ...params } }) => {
    const algorithm = registry.get('algorithm', use);
    return { algorithm, params, needs: algorithm.needs(params) };
  });
  const [first] = algorithms;
  const valued = algorithms.find(({ needs }) => needs.critic);
  return {
    critics: countCritics(algorithms.map(({ needs }) => needs)),
    reference: algorithms.some(({ needs }) => needs.reference),
    losses: {
      policy: first?.algorithm.policyLoss(first.params),
      critic: valued?.algorithm.valueLoss?.(valued.params),
    },
  };
}

/** Prepares the graphs of a run. */
export function createRunGraphs(
  spec: RunSpec,
  config: ModelConfig,
  { registry, gpuBytes }: RunSetting,
): RunGraphs {
  const { critics, reference, losses } = readAlgorithms(spec, registry);
  const { maxTurns, groupSize } = spec.rollout;
  const graphs = new Map<string, Graph>();
  const costs = new Map<string, GraphCost>();
  const graphOf = (key: string, build: () => Graph): Graph => {
    const graph = graphs.get(key) ?? build();
    graphs.set(key, graph);
    return graph;
  };
  const costOf = (key: string, build: () => Graph, sizes: Readonly<Record<string, number>>): GraphCost => {
    const whole = `${key} ${JSON.stringify(sizes)}`;
    const cost = costs.get(whole) ?? estimateGraphCost(graphOf(key, build), new Map(Object.entries(sizes)));
    costs.set(whole, cost);
    return cost;
  };
  const options = (role: Role, { layout, lossRows }: SequenceSizes) => {
    const rows = rowsOf(config, role, lossRows);
    return { config, role, length: layout, ...rows, ...frozenOf(config, spec, role) };
  };
  const recomputes = recomputesLayers(spec, config, { critics, reference, gpuBytes });
  const training = (role: Role, sizes: SequenceSizes) => (): Graph => {
    const loss = losses[role];
    const build = loss?.build as (input: unknown) => ReturnType<LossGraph>;
    return buildTrainingGraph(
      { ...options(role, sizes), recomputes, dropout: dropoutOf(spec, role) },
      (input) => build({ ...input, params: loss?.params }),
      loss?.columns ?? [],
    );
  };
  const scoring = (role: Role, sizes: SequenceSizes) => (): Graph => buildScoreGraph(options(role, sizes));
  const keyOf = (what: string, role: Role, sizes: SequenceSizes): string => {
    const { length, rows } = options(role, sizes);
    return `${what} ${role} ${length.prefixBlocks} ${length.ownBlocks} ${String(rows)}`;
  };
  const { prefilling, decoding } = samplingGraphs(spec, config);
  return {
    critics,
    reference,
    recomputes,
    prefill: ({ rows: R, tokens: T, draws: N, keys: S, slots: A, width: P, prefixes }) => {
      const hasPast = S > 0;
      const hasPrefixes = S > 0 && prefixes !== undefined;
      const E = Math.max(samplingRules.LEAST_ROWS, R);
      const sizes = { R, E, T, N, S, A, P, W: 1, B: prefixes?.rows ?? 1, Q: prefixes?.width ?? 1 };
      return costOf(`prefill ${hasPast} ${hasPrefixes}`, prefilling(hasPast, hasPrefixes), sizes);
    },
    decode: ({ rows: R, width: P, prefixes }) => {
      if (prefixes === undefined) return costOf('decode', decoding(), { R, P, W: 1 });
      const { rows: A, groupSize: M, width: S } = prefixes;
      return costOf('decode prefixes', decoding(true), { R, P, A, M, S, W: 1 });
    },
    train: (role, sizes) => costOf(keyOf('train', role, sizes), training(role, sizes), sizes.sizes),
    score: (role, sizes) => costOf(keyOf('score', role, sizes), scoring(role, sizes), sizes.sizes),
    nodes(length) {
      const sizes = { layout: layoutOf(length), sizes: {}, count: length, lossRows: length };
      const all: [name: string, isUsed: boolean, build: () => Graph][] = [
        ['prefill', true, prefilling(false)],
        ['prefill of later turns', maxTurns > 1, prefilling(true, groupSize > 1)],
        ['decode', true, decoding(groupSize > 1)],
        ['policy training', true, training('policy', sizes)],
        ['reference scoring', reference, scoring('policy', sizes)],
        ['critic training', critics > 0 && losses.critic !== undefined, training('critic', sizes)],
        ['critic scoring', critics > 0, scoring('critic', sizes)],
      ];
      return all.flatMap(([name, isUsed, build]) => (isUsed ? [{ name, nodes: build().nodes.length }] : []));
    },
  };
}

/** What builds the graphs that are sampled with. */
function samplingGraphs({ rollout: { topP, topK }, device }: RunSpec, config: ModelConfig) {
  const sampling = { config, precision: device.sampling, isFiltered: topP < 1 || topK > 0 };
  return {
    prefilling:
      (hasPast: boolean, hasPrefixes = false) =>
      (): Graph =>
        buildPrefillGraph({ ...sampling, hasPast, hasPrefixes }),
    decoding:
      (hasPrefixes = false) =>
      (): Graph =>
        buildDecodeGraph({ ...sampling, hasPrefixes }),
  };
}

/** The layout of one sequence behind a shared token. */
function layoutOf(length: number): SequenceSizes['layout'] {
  const sequence = { prefix: new Int32Array(1), members: [new Int32Array(Math.max(1, length))] };
  return packRows([sequence], { query: 1, key: 1 }).layout;
}

/**
 * @file Whether a run or a warm start fits into memory, found before anything is written. What may just not fit is warned of:
 * a prediction may be too high. What does not fit at its smallest either is refused: the kernel would end it later, without
 * a word.
 */
import { AppError, type RunSpec, type WarmStartSpec } from '@espalier/contracts';
import { machineBytes } from '@espalier/contracts/values';
import { FEWEST_TOKENS } from '@espalier/engine';
import type { OpenedModel } from '../local/open-model.js';
import { formatBytes } from '../view/numbers.js';
import type { Registry } from '../workspace.js';
import { playsAgents } from './agent-runs.js';
import { baselineBytes } from './estimate-iteration.js';
import { type EstimatedRun, peaksInValidation, predictIteration, sampledAtOnce } from './estimate-run.js';
import { listDemonstrationRuns } from './estimate-warm-start.js';
import { boundOf } from './fit-prediction.js';
import { findGpuBytes } from './gpu-memory.js';
import { cachedBytes, countWeights } from './held-weights.js';
import { listMisfits, type Remedies, remediesOfRun, warmStartRemedies } from './misfits.js';
import type { MachineLimits } from './plan-warnings.js';
import { readAlgorithms } from './run-graphs.js';

/** What of a prediction is needed for certain: measured peaks were at least 0.83 of what was predicted (docs/log/2026-11.md). */
const certainShare = 0.75;

/** A run is looked at closely, which takes seconds, when a rough bound comes this near to the limit. */
const nearShare = 0.75;

type Memory = Awaited<ReturnType<typeof predictIteration>>['memory'];

/** What is predicted of a run. */
interface NearLimit {
  readonly expected: Memory;
  /** with the smallest micro-batches, and layers that are recomputed */
  readonly least: Memory;
}

/**
 * Refuses a run that cannot fit into memory. `device.memoryMb` above what the machine has says that it may use so much all
 * the same, in swap. A GPU is only compared: one that is full says so itself, and what its library takes is not measured.
 *
 * @returns what may not fit, as sentences
 * @throws cli.over_budget
 */
export async function requireRunMemory(
  config: string,
  run: EstimatedRun,
  registry: Registry,
): Promise<string[]> {
  const { spec, gpuBytes } = run;
  const { provider, memoryMb = 0 } = spec.device;
  const limits = limitsOf(provider, gpuBytes);
  if (spec.engine !== undefined || limits === undefined) return [];
  const near = await predictNearLimit(run, registry, limits);
  if (near === undefined) return [];
  const sizes = { peaksInValidation: peaksInValidation(run) };
  refuse(
    `train ${config}`,
    near,
    { ...limits, memoryMb },
    remediesOfRun(spec, partsOf(near.least), { ...sizes, isLeast: true }),
  );
  return listTight(provider, near, limits, remediesOfRun(spec, partsOf(near.expected), sizes));
}

/**
 * Refuses a warm start of an existing model that cannot fit into memory.
 *
 * @returns what may not fit, as sentences
 * @throws cli.over_budget
 */
export async function requireWarmStartMemory(
  config: string,
  spec: WarmStartSpec,
  model: OpenedModel,
  registry: Registry,
): Promise<string[]> {
  const { provider, memoryMb = 0 } = spec.device;
  const gpuBytes = await findGpuBytes(spec.device);
  const limits = limitsOf(provider, gpuBytes);
  if (limits === undefined) return [];
  const warnings = new Set<string>();
  for (const run of listDemonstrationRuns(spec, model, { registry, gpuBytes })) {
    const near = await predictNearLimit(run, registry, limits);
    if (near === undefined) continue;
    refuse(`warm start ${config}`, near, { ...limits, memoryMb }, warmStartRemedies(spec, { isLeast: true }));
    for (const warning of listTight(provider, near, limits, warmStartRemedies(spec))) warnings.add(warning);
  }
  return [...warnings];
}

function refuse(
  attempt: string,
  { least: { total } }: NearLimit,
  { certainBytes, memoryMb }: Pick<MemoryLimits, 'certainBytes'> & { readonly memoryMb: number },
  { memory }: Pick<Remedies, 'memory'>,
): void {
  const limitBytes = Math.max(certainBytes, memoryMb * 2 ** 20);
  if (certainShare * total <= limitBytes) return;
  const wanted = Math.ceil(total / 2 ** 20);
  const misfits = [
    `memory: about ${formatBytes(total)} are needed even with the smallest micro-batches and recomputed layers, there are ${formatBytes(limitBytes)}; ${memory}; to start all the same, set device.memoryMb to what it may use, ${wanted} or more`,
  ];
  throw new AppError('cli.over_budget', `${attempt}: ${misfits.join('\n')}`, {
    details: { misfits, neededBytes: total, limitBytes },
  });
}

/** What a run may hold. */
interface MemoryLimits extends Pick<MachineLimits, 'memoryBytes' | 'gpuBytes'> {
  /** a run that holds more is ended by the kernel */
  readonly certainBytes: number;
  /** a run that holds more may not fit */
  readonly wantedBytes: number;
}

/** Undefined where it is not known: on a GPU that is not here. */
function limitsOf(
  provider: RunSpec['device']['provider'],
  gpuBytes: number | undefined,
): MemoryLimits | undefined {
  const memoryBytes = machineBytes();
  if (provider !== 'cuda') return { memoryBytes, certainBytes: memoryBytes, wantedBytes: memoryBytes };
  return gpuBytes === undefined
    ? undefined
    : { memoryBytes, gpuBytes, certainBytes: Infinity, wantedBytes: gpuBytes };
}

const listTight = (
  provider: RunSpec['device']['provider'],
  { expected }: NearLimit,
  limits: MemoryLimits,
  remedies: Remedies,
): string[] =>
  listMisfits(
    { provider },
    { peakBytes: expected.total, diskBytes: 0 },
    { ...limits, cores: 0, diskBytes: 0 },
    remedies,
  );

const partsOf = ({ models, cache, sessions }: Memory) => ({
  modelBytes: models,
  cacheBytes: cache,
  activationBytes: sessions,
});

/** Predicts a run; undefined where it fits by far. What agent programs do is not known: their models are what is certain. */
async function predictNearLimit(
  run: EstimatedRun,
  registry: Registry,
  { wantedBytes }: MemoryLimits,
): Promise<NearLimit | undefined> {
  if (boundOf(run, registry) + cacheBoundOf(run) <= nearShare * wantedBytes) return undefined;
  const { spec, model } = run;
  if (playsAgents(spec, registry)) {
    const { weightBytes } = countWeights(spec, model.config, readAlgorithms(spec, registry));
    const held = { models: weightBytes, cache: 0, sessions: 0, total: baselineBytes + weightBytes };
    return { expected: held, least: held };
  }
  const update: RunSpec['update'] = {
    ...spec.update,
    microBatchTokens: Math.min(spec.update.microBatchTokens, FEWEST_TOKENS),
    recompute: 'on',
  };
  const { memory: expected } = await predictIteration(run, registry);
  const { memory: least } = await predictIteration({ ...run, spec: { ...spec, update } }, registry);
  return { expected, least };
}

/** Bytes of the cache if every sequence were as long as may be. */
function cacheBoundOf({ spec, derived, model: { config, limits } }: EstimatedRun): number {
  const { layerCount, keyValueHeadCount, headSize } = config.shape;
  const tokens = sampledAtOnce({ spec, derived }) * (spec.rollout.contextTokens ?? limits.contextLength);
  return cachedBytes(spec.device) * 2 * layerCount * keyValueHeadCount * headSize * tokens;
}

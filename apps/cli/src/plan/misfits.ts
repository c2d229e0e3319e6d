/** @file What of a run does not fit into this machine, by the prediction, each with what to change. */
import { AppError, type RunSpec, type WarmStartSpec } from '@espalier/contracts';
import { formatBytes } from '../view/numbers.js';
import type { MachineLimits } from './plan-warnings.js';

/** What a run or a warm start will hold, as predicted. */
export interface PredictedNeeds {
  /** highest resident memory of the process, on cuda that of the GPU */
  readonly peakBytes: number;
  /** on the disk at once */
  readonly diskBytes: number;
}

/** What to change, for each thing that may not fit. */
export interface Remedies {
  readonly memory: string;
  readonly disk: string;
}

interface Smallness {
  /** what is too large has the smallest micro-batches and recomputed layers already */
  readonly isLeast?: boolean;
}

interface RunSizes extends Smallness {
  /** a validation samples more sequences at once than an iteration */
  readonly peaksInValidation?: boolean;
}

/** What of a run's memory is largest decides what to change. */
export function remediesOfRun(
  { lora, update }: Pick<RunSpec, 'lora' | 'update'>,
  parts: { readonly modelBytes: number; readonly cacheBytes: number; readonly activationBytes: number },
  { isLeast = false, peaksInValidation = false }: RunSizes = {},
): Remedies {
  const { modelBytes, cacheBytes, activationBytes } = parts;
  const ofModels =
    lora === undefined
      ? 'train adapters (lora: { rank: 16 })'
      : lora.baseDtype === 'float32'
        ? 'hold the base in fewer bits (lora.baseDtype: bfloat16)'
        : 'hold the base in fewer bits (lora.baseDtype: int4)';
  const isCompact = lora?.baseDtype === 'int4';
  const smaller = 'choose a smaller model';
  const ofGraphs = isLeast
    ? ['lower rollout.contextTokens']
    : [
        'lower update.microBatchTokens',
        ...(update.recompute === 'off' ? ['leave update.recompute at auto'] : []),
      ];
  const ofCache = [
    peaksInValidation ? 'lower validation.episodes' : 'lower rollout.promptsPerStep or rollout.groupSize',
  ];
  const largest = Math.max(modelBytes, cacheBytes, activationBytes);
  const first =
    largest === modelBytes
      ? [...(isCompact ? [] : [ofModels]), smaller]
      : largest === cacheBytes
        ? [...ofCache, smaller]
        : [...ofGraphs, ...(lora === undefined ? [ofModels] : []), smaller];
  return { memory: first.join(', or '), disk: 'lower checkpoint.keep, or free some space' };
}

/** A warm start holds its micro-batches and the episodes of its last check. */
export const warmStartRemedies = (
  { lora }: Pick<WarmStartSpec, 'lora'>,
  { isLeast = false }: Smallness = {},
): Remedies => {
  const adapters = lora === undefined ? 'train adapters (lora: { rank: 16 }), ' : '';
  return {
    memory: `lower ${isLeast ? '' : 'microBatchTokens or '}validation.finalEpisodes, ${adapters}or choose a smaller model`,
    disk: `${adapters}or free some space`,
  };
};

/** Lists what does not fit, one sentence each: finding, then remedy. */
export function listMisfits(
  { provider, memoryMb }: Pick<RunSpec['device'], 'provider'> & { readonly memoryMb?: number | undefined },
  { peakBytes, diskBytes }: PredictedNeeds,
  machine: MachineLimits,
  remedies: Remedies,
): string[] {
  const limitBytes = (memoryMb ?? Infinity) * 2 ** 20;
  const misfits: string[] = [];
  const [place, placeBytes] =
    provider === 'cuda' ? ['the GPU', machine.gpuBytes] : ['this machine', machine.memoryBytes];
  if (placeBytes !== undefined && peakBytes > placeBytes)
    misfits.push(
      `memory: about ${formatBytes(peakBytes)} are needed, ${place} has ${formatBytes(placeBytes)}; ${remedies.memory}`,
    );
  if (peakBytes > limitBytes)
    misfits.push(
      `device.memoryMb: about ${formatBytes(peakBytes)} are needed, the limit is ${formatBytes(limitBytes)}, and a worker ends what uses more; raise it, or ${remedies.memory}`,
    );
  if (diskBytes > machine.diskBytes)
    misfits.push(
      `disk: about ${formatBytes(diskBytes)} are needed, ${formatBytes(machine.diskBytes)} are free; ${remedies.disk}`,
    );
  return misfits;
}

/** Refuses what does not fit. @throws cli.over_budget */
export function refuseMisfits(config: string, misfits: readonly string[]): void {
  if (misfits.length === 0) return;
  throw new AppError('cli.over_budget', `plan ${config}: ${misfits.join('\n')}`, { details: { misfits } });
}

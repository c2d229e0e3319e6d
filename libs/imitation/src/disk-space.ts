/** @file Whether the disk has room for a warm start, found before anything is written. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type WarmStartSpec } from '@espalier/contracts';
import { freeBytesAt } from '@espalier/files';
import { type ModelConfig, parameterShapes } from '@espalier/model';
import { loraShapes, resolveLora } from '@espalier/model/adapters';

const FLOAT_BYTES = 4;
const HALF_BYTES = 2;
/** Trained weights and two moments. */
const STATE_BYTES = 3 * FLOAT_BYTES;

/** Bytes on the disk at once: the model at step 0, two states and two models while each replaces the one before it. */
export function warmStartBytes({ lora }: Pick<WarmStartSpec, 'lora'>, config: ModelConfig): number {
  const all = countParameters(config);
  const trained = lora === undefined ? all : countEntries(loraShapes(config, resolveLora(config, lora)));
  return FLOAT_BYTES * all + 2 * STATE_BYTES * trained + 2 * HALF_BYTES * all;
}

/**
 * Refuses a warm start that does not fit.
 *
 * @param work its folder; what an earlier start left there counts
 * @throws trainer.disk_full
 */
export function requireDiskSpace(
  work: string,
  spec: Pick<WarmStartSpec, 'lora'>,
  config: ModelConfig,
  freeBytes: number = freeBytesAt(work),
): void {
  const neededBytes = warmStartBytes(spec, config) - folderBytes(work);
  if (neededBytes <= freeBytes) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;
  const adapters = spec.lora === undefined ? 'train adapters (lora: { rank: 16 }), ' : '';
  throw new AppError(
    'trainer.disk_full',
    `warm start in "${work}": it needs about ${megabytes(neededBytes)}, the disk has ${megabytes(freeBytes)} free; ${adapters}free space, or choose a folder on another disk with --out`,
    { details: { neededBytes, freeBytes } },
  );
}

function folderBytes(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (total, name) => total + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** Parameters of a whole model, without adapters. */
export const countParameters = (config: ModelConfig): number => countEntries(parameterShapes(config));

function countEntries(shapes: ReadonlyMap<string, readonly number[]>): number {
  return [...shapes.values()].reduce((total, shape) => total + shape.reduce((a, b) => a * b, 1), 0);
}

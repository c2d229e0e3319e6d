/** @file The base of an adapter: what the run that saved an adapter recorded about it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, runLayout } from '@espalier/contracts';
import { modelChoice, type ModelChoice, rootOf } from '@espalier/contracts/model-choice';
import { isRecord } from '@espalier/contracts/values';

/**
 * Finds the model that the adapters of a LoRA run stand on.
 *
 * @param path the run, one of its checkpoints, or the policy in it
 * @returns undefined for anything else, also for a run without LoRA
 * @throws trainer.corrupt_run
 */
export function findAdapterBase(path: string): ModelChoice | undefined {
  const file = [path, join(path, '..')].map((folder) => join(folder, runLayout.spec)).find(existsSync);
  if (file === undefined) return undefined;
  const spec = readSpec(file);
  if (spec['lora'] === undefined) return undefined;
  const model = modelChoice.safeParse(spec['model']);
  return model.success ? rootOf(model.data) : undefined;
}

function readSpec(file: string): Readonly<Record<string, unknown>> {
  let cause: unknown;
  try {
    const spec: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isRecord(spec)) return spec;
  } catch (error) {
    cause = error;
  }
  throw new AppError(
    'trainer.corrupt_run',
    `read "${file}": not the spec of a run; restore it, every checkpoint of the run holds a copy`,
    { details: { path: file }, cause },
  );
}

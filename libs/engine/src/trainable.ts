/** @file What policy and critic share: gather gradients, step, save and load. */
import { join } from 'node:path';
import { AppError, type Datum, isAppError, type LossSpec, type TrainableModel } from '@espalier/contracts';
import {
  type LlamaConfig,
  loadModelFolder,
  loadSafetensors,
  type Safetensors,
  saveModelFolder,
  saveSafetensors,
} from '@espalier/model';
import { checkDatum, type ModelLimits } from './check-requests.js';
import { notFinite, type OptimizerSession } from './optimizer-session.js';
import { type NamedArray, type ParameterStore } from './parameter-store.js';
import type { SequenceModel } from './sequence-model.js';

export interface TrainableOptions {
  readonly role: 'policy' | 'critic';
  readonly config: LlamaConfig;
  readonly limits: ModelLimits;
  readonly store: ParameterStore;
  readonly sequences: SequenceModel;
  readonly optimizer: OptimizerSession;
  /** folder whose tokenizer files go with the weights */
  readonly tokenizerFrom?: string;
}

const MODEL_FILE = 'model.safetensors';
const OPTIMIZER_FILE = 'optimizer.safetensors';
const MOMENTS = ['first_moment.', 'second_moment.'] as const;

/** Makes the learning half of a model over a parameter store, which it does not own. */
export function createTrainable(options: TrainableOptions): TrainableModel {
  const { role, limits, store, sequences, optimizer } = options;
  const dropGradients = (): void => {
    if (store.hasGradients) store.gradients.fill(0);
  };
  return {
    async forwardBackward(batch: readonly Datum[], loss: LossSpec) {
      batch.forEach((datum, i) => checkDatum(`forward-backward of ${role}, datum ${i}`, datum, loss, limits));
      try {
        const result = await sequences.forwardBackward(store, role, batch, loss);
        const bad = Object.entries({ loss: result.loss, ...result.metrics }).find(
          ([, value]) => !Number.isFinite(value),
        );
        if (bad !== undefined)
          throw notFinite(`forward-backward of ${role}`, `"${bad[0]}" of loss "${loss.id}"`);
        await optimizer.gradientNorm(store, `forward-backward of ${role}`);
        return result;
      } catch (error) {
        dropGradients();
        throw error;
      }
    },
    async optimizerStep(step) {
      try {
        return await optimizer.step(store, step);
      } catch (error) {
        dropGradients();
        throw error;
      }
    },
    async zeroGradients() {
      dropGradients();
    },
    async save(folder, { optimizer: withOptimizer }) {
      saveWeights(folder, options);
      if (withOptimizer) saveMoments(folder, store);
    },
    async load(folder, { optimizer: withOptimizer }) {
      loadWeights(folder, options);
      if (withOptimizer) loadMoments(folder, options);
      dropGradients();
    },
    async dispose() {
      // sessions and weights belong to the engine
    },
  };
}

function saveWeights(folder: string, { role, config, store, tokenizerFrom }: TrainableOptions): void {
  const weights = store.views(store.weights);
  if (role === 'critic') return saveSafetensors(join(folder, MODEL_FILE), weights, { format: 'pt' });
  saveModelFolder(folder, {
    config,
    weights,
    dtype: 'float32',
    ...(tokenizerFrom === undefined ? {} : { tokenizerFrom }),
  });
}

function saveMoments(folder: string, store: ParameterStore): void {
  const tensors = new Map<string, NamedArray>();
  store.moments.forEach((flat, i) => {
    for (const [name, array] of store.views(flat)) tensors.set(`${MOMENTS[i as 0 | 1]}${name}`, array);
  });
  saveSafetensors(join(folder, OPTIMIZER_FILE), tensors, { step: String(store.version) });
}

function loadWeights(folder: string, { role, store }: TrainableOptions): void {
  const path = join(folder, MODEL_FILE);
  const arrays =
    role === 'policy' ? loadModelFolder(folder).weights : floatArrays(openArrays(role, path), path);
  store.fill(store.weights, arrays, role === 'policy' ? folder : path);
  store.revision += 1;
}

function loadMoments(folder: string, { role, store }: TrainableOptions): void {
  const path = join(folder, OPTIMIZER_FILE);
  const opened = openArrays(role, path);
  const arrays = floatArrays(opened, path);
  const step = Number(opened.metadata['step'] ?? NaN);
  if (!Number.isSafeInteger(step) || step < 0)
    throw malformed(path, 'the metadata have no step count; the file is no optimizer state');
  const parts = MOMENTS.map((prefix) => {
    const own = [...arrays].filter(([name]) => name.startsWith(prefix));
    return new Map(own.map(([name, array]) => [name.slice(prefix.length), array] as const));
  });
  // both are checked before the first changes, so that a refused file leaves the store as it was
  parts.forEach((part) => store.check(part, path));
  store.moments.forEach((flat, i) => store.fill(flat, parts[i] as (typeof parts)[number], path));
  store.version = step;
}

/** A file of a checkpoint that is not there is as bad as one that is damaged, and named like it. */
function openArrays(role: string, path: string): Safetensors {
  try {
    return loadSafetensors(path);
  } catch (cause) {
    if (isAppError(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const finding = code === 'ENOENT' ? 'the file is missing' : `it cannot be read (${message})`;
    throw malformed(path, `${finding}; the ${role} cannot go on without it`, cause);
  }
}

/** Weights and moments are float32 and finite: one NaN would spread over the whole model with the next step. */
function floatArrays({ tensors }: Safetensors, path: string): Map<string, NamedArray> {
  const arrays = new Map<string, NamedArray>();
  for (const [name, { data, shape, dtype }] of tensors) {
    if (!(data instanceof Float32Array))
      throw malformed(path, `"${name}" has the dtype ${dtype}; expected F32, as it was saved`);
    for (let at = 0; at < data.length; at++) {
      if (Number.isFinite(data[at])) continue;
      throw malformed(path, `"${name}" is ${data[at]} at place ${at}; expected finite numbers`);
    }
    arrays.set(name, { data, shape });
  }
  return arrays;
}

const malformed = (path: string, finding: string, cause?: unknown): AppError =>
  new AppError('model.malformed_safetensors', `${path}: ${finding}`, { details: { path }, cause });

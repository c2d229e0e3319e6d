/** @file What policy and critic share: gather gradients, step, save and load. */
import { join } from 'node:path';
import { AppError, isAppError, type TrainableModel } from '@espalier/contracts';
import {
  type ModelConfig,
  openModelFolder,
  openSafetensors,
  saveModelFolder,
  saveSafetensors,
} from '@espalier/model';
import { type AdapterFiles, loadAdapterInto, saveAdapterOf } from './adapter-files.js';
import { checkDatum, type ModelLimits } from './check-requests.js';
import { resolveDriver } from '@espalier/runtime';
import { notFinite, type OptimizerSession } from './optimizer-session.js';
import { type NamedArray, type ParameterStore } from './parameter-store.js';
import type { SequenceModel, SequenceWeights } from './sequence-model.js';

export interface TrainableOptions {
  readonly config: ModelConfig;
  readonly limits: ModelLimits;
  readonly weights: SequenceWeights;
  readonly sequences: SequenceModel;
  readonly optimizer: OptimizerSession;
  /** of a policy that is trained by adapters */
  readonly adapter?: AdapterFiles;
  /** folder whose tokenizer files go with the weights */
  readonly tokenizerFrom?: string;
}

type SafetensorsFile = ReturnType<typeof openSafetensors>;

const MODEL_FILE = 'model.safetensors';
const OPTIMIZER_FILE = 'optimizer.safetensors';
const MOMENTS = ['first_moment.', 'second_moment.'] as const;

/** Makes the learning half of a model over a parameter store, which it does not own. */
export function createTrainable(options: TrainableOptions): TrainableModel {
  const { limits, weights, sequences, optimizer } = options;
  const {
    store,
    model: { role },
  } = weights;
  let isGathering = false;
  const dropGradients = (): void => {
    isGathering = false;
    store.clearGradients();
  };
  return {
    async forwardBackward(batch, loss, others) {
      batch.forEach((datum, i) => checkDatum(`forward-backward of ${role}, datum ${i}`, datum, loss, limits));
      try {
        // a failed attempt cannot be repeated where gradients of earlier batches went with it
        const undo = isGathering ? undefined : dropGradients;
        const result = await sequences.forwardBackward(weights, batch, loss, others, undo);
        isGathering = true;
        const bad = Object.entries({ loss: result.loss, ...result.metrics }).find(
          ([, value]) => !Number.isFinite(value),
        );
        if (bad !== undefined)
          throw notFinite(
            `forward-backward of ${role}`,
            `"${bad[0]}" of loss "${loss.id}"`,
            resolveDriver(sequences.options.session),
          );
        return result;
      } catch (error) {
        dropGradients();
        throw error;
      }
    },
    async optimizerStep(step) {
      try {
        isGathering = false;
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
      // sessions and the host's weights belong to the engine
      store.releaseDevice();
    },
  };
}

function saveWeights(folder: string, { weights, config, adapter, tokenizerFrom }: TrainableOptions): void {
  const { store, model } = weights;
  const arrays = store.views(store.weights.read());
  if (model.role === 'critic') return saveSafetensors(join(folder, MODEL_FILE), arrays, { format: 'pt' });
  if (adapter !== undefined) return saveAdapterOf(folder, store, adapter);
  saveModelFolder(folder, {
    config,
    weights: arrays,
    dtype: 'float32',
    ...(tokenizerFrom === undefined ? {} : { tokenizerFrom }),
  });
}

function saveMoments(folder: string, store: ParameterStore): void {
  const tensors = new Map<string, NamedArray>();
  store.moments.forEach((moment, i) => {
    for (const [name, array] of store.views(moment.read()))
      tensors.set(`${MOMENTS[i as 0 | 1]}${name}`, array);
  });
  saveSafetensors(join(folder, OPTIMIZER_FILE), tensors, { step: String(store.version) });
}

/** Into a new array first, so that a refused file leaves the store as it was. */
function loadWeights(folder: string, { weights, adapter }: TrainableOptions): void {
  const { store, model } = weights;
  const flat = store.createFlat();
  if (model.role === 'critic') {
    withArrays(model.role, join(folder, MODEL_FILE), (file) => fillFrom(file, '', store, flat));
  } else if (adapter === undefined) {
    const { shapes, read, close } = openModelFolder(folder);
    try {
      store.fill(flat, shapes, read, folder);
    } finally {
      close();
    }
  } else {
    loadAdapterInto(flat, folder, store, adapter);
  }
  store.weights.write().set(flat);
  store.revision += 1;
}

function loadMoments(
  folder: string,
  {
    weights: {
      store,
      model: { role },
    },
  }: TrainableOptions,
): void {
  withArrays(role, join(folder, OPTIMIZER_FILE), (file) => {
    const step = Number(file.metadata['step'] ?? NaN);
    if (!Number.isSafeInteger(step) || step < 0)
      throw malformed(file.path, 'the metadata have no step count; the file is no optimizer state');
    const moments = [store.createFlat(), store.createFlat()] as const;
    MOMENTS.forEach((prefix, i) => fillFrom(file, prefix, store, moments[i as 0 | 1]));
    store.replaceMoments(moments);
    store.version = step;
  });
}

/** A file of a checkpoint that is not there is as bad as one that is damaged, and named like it. */
function withArrays(role: string, path: string, work: (file: SafetensorsFile) => void): void {
  let file: SafetensorsFile | undefined;
  try {
    file = openSafetensors(path);
    work(file);
  } catch (cause) {
    if (isAppError(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const finding = code === 'ENOENT' ? 'the file is missing' : `it cannot be read (${message})`;
    throw malformed(path, `${finding}; the ${role} cannot be trained further without it`, cause);
  } finally {
    file?.close();
  }
}

/**
 * Fills a flat array with what a file has under a prefix. Weights and moments are float32 and finite: one NaN would
 * spread over the whole model with the next step.
 */
function fillFrom(file: SafetensorsFile, prefix: string, store: ParameterStore, flat: Float32Array): void {
  const { entries, path } = file;
  for (const [name, { dtype }] of entries)
    if (dtype !== 'F32')
      throw malformed(path, `"${name}" has the dtype ${dtype}; expected F32, as it was saved`);
  const own = [...entries.values()].filter(({ name }) => name.startsWith(prefix));
  const shapes = new Map(own.map(({ name, shape }) => [name.slice(prefix.length), shape]));
  const read = (name: string, target: Float32Array): void => {
    const entry = entries.get(`${prefix}${name}`)!;
    file.readFloats(entry, target);
    for (let at = 0; at < target.length; at++) {
      if (Number.isFinite(target[at])) continue;
      throw malformed(path, `"${entry.name}" is ${target[at]} at index ${at}; expected finite numbers`);
    }
  };
  store.fill(flat, shapes, read, path);
}

const malformed = (path: string, finding: string, cause?: unknown): AppError =>
  new AppError('model.malformed_safetensors', `${path}: ${finding}`, { details: { path }, cause });

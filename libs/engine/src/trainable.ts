/** @file What policy and critic share: gather gradients, step, save and load. */
import { join } from 'node:path';
import { AppError, type Datum, type LossSpec, type TrainableModel } from '@espalier/contracts';
import {
  type LlamaConfig,
  loadModelFolder,
  loadSafetensors,
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
      if (withOptimizer) loadMoments(folder, store);
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
  const arrays = role === 'policy' ? loadModelFolder(folder).weights : floatArrays(join(folder, MODEL_FILE));
  store.fill(store.weights, arrays, folder);
  store.revision += 1;
}

function loadMoments(folder: string, store: ParameterStore): void {
  const path = join(folder, OPTIMIZER_FILE);
  const arrays = floatArrays(path);
  const step = Number(loadSafetensors(path).metadata['step']);
  if (!Number.isInteger(step) || step < 0) {
    throw new AppError(
      'model.malformed_safetensors',
      `${path}: the metadata have no step count; the file is no optimizer state`,
    );
  }
  store.moments.forEach((flat, i) => {
    const prefix = MOMENTS[i as 0 | 1];
    const own = [...arrays]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, array]) => [name.slice(prefix.length), array] as const);
    store.fill(flat, new Map(own), path);
  });
  store.version = step;
}

function floatArrays(path: string): Map<string, NamedArray> {
  const arrays = new Map<string, NamedArray>();
  for (const [name, { data, shape }] of loadSafetensors(path).tensors) {
    if (data instanceof Float32Array) arrays.set(name, { data, shape });
  }
  return arrays;
}

/**
 * @file What it takes to sample from adapters after an update: they are merged into the base, and its matrices are laid out
 * for decoding. Beside it the same sums of B·A in JavaScript, as a model folder with an adapter is read. In processor
 * time: a machine that is busy slows both.
 */
import { createEmbeddedEngine } from '@espalier/engine';
import { initializeWeights, type ModelConfig, parameterShapes } from '@espalier/model';
import { addLora, ALL_LINEAR, loraName, loraShapes, resolveLora } from '@espalier/model/adapters';
import { nllLoss } from '@espalier/objective';
import { type BenchItem, buildRow, median } from '../row.js';
import { configOf, shapeOf } from './shapes.js';

const lora = { rank: 16, alpha: 32, rankStabilized: false, dropout: 0, targets: ALL_LINEAR } as const;
const step = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};
const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 1, stopTokens: [], stopSequences: [] };

/** Row `adapted-token/135m`: processor seconds of the first token after an update. */
export const adaptedToken: BenchItem = async ({ short, threads }) => {
  const config = configOf(shapeOf('decode135m', short), 1024);
  const engine = await createEmbeddedEngine({
    config,
    weights: initializeWeights(config, 1),
    threads,
    lora: { ...lora, critic: 'adapter', seed: 1 },
  });
  const tokens = Int32Array.of(1, 2, 3, 4);
  const datum = { tokens, positions: Int32Array.of(3), weights: Float32Array.of(1), columns: {} };
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < (short ? 1 : 4); round += 1) {
    await engine.policy.forwardBackward([datum], { ...nllLoss, params: {}, columns: [] });
    await engine.policy.optimizerStep(step);
    const sample = (): Promise<unknown> =>
      engine.policy.sample({ sequence: String(round), tokens, params, seed: round });
    const [first, merging] = [await secondsOf(sample), await secondsOf(async () => addAll(config))];
    // the first round opens the sessions
    if (round > 0 || short) ours.push(first);
    if (round > 0 || short) theirs.push(merging);
  }
  await engine.dispose();
  const baseline = { name: 'the sums of B·A in JavaScript, CPU-s', value: median(theirs) };
  return [buildRow('adapted-token/135m', median(ours), 'CPU-s', baseline, 'rank 16 on all linear layers')];
};

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

/** Adds adapters to all matrices as loading a folder does. */
function addAll(config: ModelConfig): void {
  const shape = resolveLora(config, lora);
  const [parameters, factors] = [parameterShapes(config), loraShapes(config, shape)];
  for (const target of shape.targets) {
    const [a, b] = (['A', 'B'] as const).map((part) => {
      const size = factors.get(loraName(target, part)) ?? [];
      return { shape: size, data: new Float32Array(size.reduce((x, y) => x * y, 1)).fill(0.1) };
    });
    const [out = 0, inputs = 0] = parameters.get(`${target}.weight`) ?? [];
    if (a !== undefined && b !== undefined) addLora(new Float32Array(out * inputs), { a, b }, shape.scale);
  }
}

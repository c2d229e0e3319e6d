/** @file How fast an engine trains and samples on a device: the best of a few rounds, without the first. */
import { createEmbeddedEngine } from '@espalier/engine';
import { nllLoss } from '@espalier/objective';
import { adamW, configOf, drawDatum, drawTokens, samplingOf, weightsOf } from './models.mjs';

const likelihood = { ...nllLoss, params: {}, columns: [] };

/** Forward, backward and AdamW of random sequences. */
export async function measureTrain({ provider, models, precisions, shapes, report }) {
  for (const model of models) {
    const config = configOf(shapes.models[model]);
    const weights = weightsOf(config);
    for (const precision of precisions) {
      const options = { config, weights, provider, precision, microBatchTokens: 8192, recompute: 'off' };
      const engine = await createEmbeddedEngine(options);
      for (const { rows, tokens } of shapes.trainSteps)
        report({
          part: 'train',
          model,
          precision,
          rows,
          tokens,
          ...(await timeSteps(engine, config, rows, tokens)),
        });
      await engine.dispose();
    }
  }
}

async function timeSteps(engine, config, rows, tokens) {
  const batch = Array.from({ length: rows }, () => drawDatum(config, tokens));
  const times = [];
  for (let round = 0; round < 4; round += 1) {
    const begin = performance.now();
    await engine.policy.forwardBackward(batch, likelihood);
    const middle = performance.now();
    await engine.policy.optimizerStep(adamW);
    times.push({ gradient: middle - begin, update: performance.now() - middle });
  }
  const [first, ...others] = times;
  const total = ({ gradient, update }) => gradient + update;
  const [best] = others.sort((a, b) => total(a) - total(b));
  return {
    forwardBackwardMs: Math.round(best.gradient),
    optimizerMs: Math.round(best.update),
    firstMs: Math.round(total(first)),
    tokensPerSecond: Math.round((1000 * rows * tokens) / total(best)),
  };
}

/** Replies to random prompts, the prompts computed within the time; with `isGroup` all have one prompt, which is cached once if `isShared`. */
export async function measureDecode({ provider, models, shapes, report }) {
  for (const model of models) {
    const config = configOf(shapes.models[model]);
    const engine = await createEmbeddedEngine({ config, weights: weightsOf(config), provider });
    for (const { sequences, prompt, newTokens, isGroup = false, isShared = false } of shapes.decodes) {
      const seconds = [];
      for (let round = 0; round < 3; round += 1) {
        const common = drawTokens(config, prompt);
        const requests = Array.from({ length: sequences }, (_, row) => ({
          sequence: `${round}/${row}`,
          tokens: isGroup ? common : drawTokens(config, prompt),
          seed: row,
          params: samplingOf(newTokens),
          ...(isShared ? { sharedPrefix: prompt } : {}),
        }));
        const begin = performance.now();
        await Promise.all(requests.map((request) => engine.policy.sample(request)));
        seconds.push((performance.now() - begin) / 1000);
        engine.policy.release(requests.map(({ sequence }) => sequence));
      }
      const tokensPerSecond = Math.round((sequences * newTokens) / Math.min(...seconds.slice(1)));
      report({ part: 'decode', model, sequences, prompt, newTokens, isGroup, isShared, tokensPerSecond });
    }
    await engine.dispose();
  }
}

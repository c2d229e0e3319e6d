import { AppError } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { OptimizerSession } from './optimizer-session.js';
import { ParameterStore } from './parameter-store.js';

const step = {
  learningRate: 0.1,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};

describe('a step of the optimizer', () => {
  it('that fails half-way tells of the weights that it changed, and is no step', async () => {
    // more than one stretch of a CPU
    const store = new ParameterStore(new Map([['weight', [2 ** 18 + 8]]]));
    store.gradients.write().fill(1);
    const { revision, version } = store;
    const optimizer = await OptimizerSession.create({ provider: 'cpu', threads: 1 });
    const run = optimizer.update.run.bind(optimizer.update);
    let runs = 0;
    optimizer.update.run = async (feeds, targets) => {
      runs += 1;
      if (runs === 2) throw new AppError('runtime.run_failed', 'run session: no');
      return run(feeds, targets);
    };
    await expect(optimizer.step(store, step)).rejects.toMatchObject({ code: 'runtime.run_failed' });
    expect([store.weight('weight').data.at(0), store.weight('weight').data.at(-1)]).not.toEqual([0, 0]);
    expect(store.revision).toBeGreaterThan(revision);
    expect(store.version).toBe(version);
    await optimizer.dispose();
  });
});

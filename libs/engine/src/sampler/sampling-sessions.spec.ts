import { initializeWeights, listSamplingWeights, parseModelConfig } from '@espalier/model';
import { expect, it } from 'vitest';
import { tinyShape } from '../testing/tiny-shape.js';
import { SamplingSessions } from './sampling-sessions.js';

const config = parseModelConfig(tinyShape);

const named = initializeWeights(config, 5);
const find = (name: string): Float32Array | undefined => named.get(name)?.data;
const write = (name: string, target: Float32Array): void => target.set(find(name) ?? []);

it('lays weights out again for who decodes while they are being freed', async () => {
  const weights = { version: 0, revision: 1, isCompact: false, find, write };
  const sessions = new SamplingSessions({ config, session: {}, weights });
  const before = Object.keys((await sessions.decode(false, false, 8)).weights);
  const freed = sessions.releaseMatrices();
  const during = await sessions.decode(false, false, 8);
  await freed;
  expect(Object.keys(during.weights)).toEqual(before);
  await sessions.dispose();
});

it('has no weights after their memory ran out, and all of them at the next attempt', async () => {
  let isFull = true;
  const weights = {
    version: 0,
    revision: 1,
    isCompact: false,
    find: () => undefined,
    write(name: string, target: Float32Array): void {
      if (isFull) throw new RangeError('Array buffer allocation failed');
      write(name, target);
    },
  };
  const sessions = new SamplingSessions({ config, session: {}, weights });
  const prefill = () =>
    sessions.prefill({ isFiltered: false, hasPast: false, hasPrefixes: false }, config.shape.contextLength);
  await expect(prefill()).rejects.toThrow('allocation failed');
  await expect(prefill()).rejects.toThrow('allocation failed');
  isFull = false;
  const { session, weights: fed } = await prefill();
  const taken = session.inputs.map(({ name }) => name).filter((name) => name in fed);
  expect(taken).toEqual(expect.arrayContaining([...listSamplingWeights(config).keys()]));
  await sessions.dispose();
});

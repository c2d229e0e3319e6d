import { testEnvironment } from '@espalier/plugin-kit/testing';
import { expect, it } from 'vitest';
import environment from './index.js';

testEnvironment(environment, { oracleSolves: 1 });
testEnvironment(environment, { params: { highest: 20 }, oracleSolves: 1 });

it('names what was tried', async () => {
  const instance = environment.create({ highest: 9 });
  await instance.reset({ state: 1, noise: 1 });
  const [secret] = instance.oracle?.() ?? [];
  const wrong = secret === '3' ? '4' : '3';
  const { observation, reward } = await instance.step(wrong);
  expect([observation.text, reward]).toEqual([`not ${wrong}`, 0]);
});

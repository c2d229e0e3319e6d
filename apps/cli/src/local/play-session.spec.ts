import type { EnvironmentInstance } from '@espalier/plugin-kit';
import { expect, it } from 'vitest';
import { createPlaySession } from './play-session.js';

/** Counts its steps from the seed, and cannot be restored. */
function createCounter(): EnvironmentInstance {
  let count = 0;
  const observe = () => ({ text: String(count), stateKey: String(count) });
  return {
    reset: ({ state }) => {
      count = state;
      return observe();
    },
    step: (action) => {
      count += Number(action);
      const done = count >= 9;
      return { observation: observe(), reward: 1, done, success: done, valid: true, effective: true };
    },
    render: () => String(count),
  };
}

it('goes back by one action in an environment without snapshots', async () => {
  const session = createPlaySession(createCounter());
  await session.restart(5);
  expect(await session.undo()).toBe(false);
  await session.act('1');
  await session.act('3');
  expect([session.outcome, session.observation.text]).toEqual(['success', '9']);
  expect(await session.undo()).toBe(true);
  expect([session.outcome, session.observation.text, session.earned, session.actions]).toEqual([
    undefined,
    '6',
    1,
    1,
  ]);
  await session.act('2');
  expect([session.observation.text, session.earned]).toEqual(['8', 2]);
});

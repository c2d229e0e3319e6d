/** @file What the suites accept: the least of a reward, and an environment whose actions change from turn to turn. */
import { createStream } from '@espalier/random';
import { defineEnvironment } from '../define-environment.js';
import { defineReward } from '../define-reward.js';
import { testEnvironment } from './environment.suite.js';
import { testReward } from './reward.suite.js';

testReward(
  defineReward({
    id: 'plain',
    summary: 'Pays nothing, and has no options.',
    score: ({ turns }) => ({ perTurn: turns.map(() => 0) }),
  }),
);

testEnvironment(
  defineEnvironment({
    id: 'box',
    summary: 'Open a box, then take what is in it.',
    reads: () => ({ noise: false }),
    create: () => {
      let things: readonly string[] = [];
      let isOpen = false;
      const observe = () => ({
        text: isOpen ? `The box holds ${things.join(' and ')}.` : 'The box is closed.',
        actions: isOpen ? things.map((thing) => `take ${thing}`) : ['open', 'wait'],
      });
      return {
        reset: ({ state }) => {
          things = createStream(state).shuffle(['pen', 'cup', 'key']).slice(0, 2);
          isOpen = false;
          return observe();
        },
        step: (action) => {
          const isTaken = action === `take ${things[0]}`;
          if (!observe().actions.includes(action))
            throw new Error(`no "${action}": ${observe().actions.join()}`);
          isOpen ||= action === 'open';
          return { observation: observe(), reward: isTaken ? 1 : 0, done: isTaken };
        },
        oracle: () => [...(isOpen ? [] : ['open']), `take ${things[0]}`],
      };
    },
  }),
  { oracleSolves: 1 },
);

/** @file A corridor environment for tests: walk right to the goal. */
import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';

/** Cells `P___G`; the start is drawn from the state seed, a step left at the wall does nothing. */
export const corridor = defineEnvironment({
  id: 'corridor',
  summary: 'Walk right to the goal.',
  params: z.strictObject({ length: z.int().min(3).default(5).describe('cells') }),
  instruction: () => 'You are in a corridor. Walk to the goal.',
  limits: () => ({ maxTurns: 4, maxActions: 6, maxActionsPerTurn: 2 }),
  create: ({ length }) => {
    let cell = 0;
    const observe = () => {
      const text = Array.from({ length }, (_, i) => (i === cell ? 'P' : i === length - 1 ? 'G' : '_')).join(
        '',
      );
      return { text, legend: { P: 'player', G: 'goal' }, actions: ['Left', 'Right'], stateKey: text };
    };
    return {
      reset: ({ state }) => {
        cell = state % (length - 1);
        return observe();
      },
      step: (action) => {
        const before = cell;
        cell = Math.max(0, Math.min(length - 1, cell + (action === 'Right' ? 1 : -1)));
        const done = cell === length - 1;
        const effective = cell !== before;
        return { observation: observe(), reward: done ? 1 : 0, done, success: done, valid: true, effective };
      },
      render: () => observe().text,
      oracle: () => Array.from({ length: length - 1 - cell }, () => 'Right'),
      explain: () => `goal ${length - 1 - cell} right.`,
    };
  },
});

import { createStream, defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';

const numbers = (highest: number): string[] =>
  Array.from({ length: highest }, (_, index) => String(index + 1));

export default defineEnvironment({
  id: 'my-plugin',
  summary: 'Find the number that is hidden.',
  params: z.strictObject({
    highest: z.int().min(2).max(100).default(4).describe('numbers go from 1 to this'),
  }),
  instruction: ({ highest }) => `A number from 1 to ${highest} is hidden. Say which.`,
  limits: ({ highest }) => ({ maxTurns: highest }),
  reads: () => ({ noise: false }),
  actions: ({ highest }) => numbers(highest),
  create: ({ highest }) => {
    let secret = '';
    let tried: string[] = [];
    const observe = (): string => (tried.length === 0 ? 'nothing tried' : `not ${tried.join(', ')}`);
    return {
      // all randomness comes from the seeds of each reset
      reset: (seeds) => {
        secret = createStream(seeds.state).pick(numbers(highest));
        tried = [];
        return observe();
      },
      step: (action) => {
        const success = action === secret;
        if (!tried.includes(action)) tried = [...tried, action].sort((a, b) => Number(a) - Number(b));
        const observation = success ? `it is ${secret}` : observe();
        return { observation, reward: success ? 1 : 0, done: success };
      },
      oracle: () => [secret],
    };
  },
});

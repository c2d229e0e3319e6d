import { createScriptedEngine } from '@espalier/engine';
import { expect, it } from 'vitest';
import { collectTags } from './collect-tags.js';
import { corridor, type CorridorParams } from './testing/corridor.js';
import { corridorRollout, tokenizer } from './testing/corridor-rollout.js';

it('plays no more episodes of an environment at once than it allows, however many tags have it', async () => {
  const { policy } = createScriptedEngine({
    answer: () => 'go</think><answer>Right||Right</answer><|im_end|>',
    encode: (text) => tokenizer.encode(text),
  });
  let open = 0;
  let most = 0;
  const bounded = {
    ...corridor,
    reads: () => ({ episodes: 2 }),
    create: (params: CorridorParams) => {
      const instance = corridor.create(params);
      return {
        ...instance,
        async reset(seeds: { state: number; noise: number }) {
          open += 1;
          most = Math.max(most, open);
          // others have the time to begin
          await new Promise((resolve) => setTimeout(resolve, 5));
          return instance.reset(seeds);
        },
        close() {
          open -= 1;
        },
      };
    },
  };
  const collection = await collectTags(
    ['a', 'b', 'c'].map((tag) => ({
      tag,
      seed: 5,
      rollout: corridorRollout(2),
      policy,
      tokenizer,
      contextLength: 4000,
      environment: { definition: bounded as never, params: { failAt: 0 } },
      rewards: [],
      split: 'train' as const,
      step: 1,
    })),
  );
  expect(collection.groups.length).toBeGreaterThanOrEqual(3);
  expect(most).toBe(2);
});

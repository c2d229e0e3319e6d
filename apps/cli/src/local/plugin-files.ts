/** @file What `espalier plugin new` writes. */

const environment = (
  id: string,
): string => `import { createStream, defineEnvironment, unknownAction } from '@espalier/plugin-kit';
import { z } from 'zod';

export default defineEnvironment({
  id: '${id}',
  summary: 'Find the number that is hidden.',
  params: z.strictObject({
    highest: z.int().min(2).max(100).default(4).describe('numbers go from 1 to this'),
  }),
  instruction: ({ highest }) => \`A number from 1 to \${highest} is hidden. Say which.\`,
  limits: ({ highest }) => ({ maxTurns: highest, maxActions: highest, maxActionsPerTurn: 1 }),
  create: ({ highest }) => {
    const actions = Array.from({ length: highest }, (_, index) => String(index + 1));
    let secret = '';
    let tried = [];
    const picture = () => (tried.length === 0 ? 'nothing tried' : \`not \${tried.join(', ')}\`);
    const observe = () => ({ text: picture(), stateKey: picture(), actions });
    return {
      // all randomness comes from the seeds of each reset
      reset: (seeds) => {
        secret = createStream(seeds.state).pick(actions);
        tried = [];
        return observe();
      },
      step: (action) => {
        if (!actions.includes(action)) throw unknownAction(action, actions);
        const success = action === secret;
        const effective = success || !tried.includes(action);
        if (effective) tried = [...tried, action].sort((a, b) => Number(a) - Number(b));
        return { observation: observe(), reward: success ? 1 : 0, done: success, success, valid: true, effective };
      },
      render: picture,
      oracle: () => [secret],
    };
  },
});
`;

const reward = (id: string): string => `import { defineReward } from '@espalier/plugin-kit';
import { z } from 'zod';

export default defineReward({
  id: '${id}',
  summary: 'Takes a little for every word of reasoning.',
  params: z.strictObject({ perWord: z.number().min(0).default(0.001).describe('taken per word') }),
  score: ({ turns }, { perWord }) => ({
    perTurn: turns.map(({ think }) => -perWord * think.split(/\\s+/).filter(Boolean).length),
  }),
});
`;

const suites = { environment: 'testEnvironment', reward: 'testReward' } as const;

/** Gives the files of a new plugin by name. */
export function pluginFiles(kind: 'environment' | 'reward', id: string, kit: string): Record<string, string> {
  const manifest = {
    name: `espalier-${kind}-${id}`,
    version: '0.1.0',
    type: 'module',
    exports: './index.js',
    files: ['index.js'],
    scripts: { test: 'espalier plugin test' },
    peerDependencies: { '@espalier/plugin-kit': `^${kit}`, zod: '^4.0.0' },
  };
  const suite = suites[kind];
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'index.js': kind === 'environment' ? environment(id) : reward(id),
    'index.spec.js': `import { ${suite} } from '@espalier/plugin-kit/testing';\nimport plugin from './index.js';\n\n${suite}(plugin);\n`,
  };
}

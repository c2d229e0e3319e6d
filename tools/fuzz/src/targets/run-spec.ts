/** @file Run configurations: YAML text, then everything that makes a frozen spec of it. */
import { parseConfig, type PluginRegistry, resolveRunSpec } from '@espalier/config';
import type { FuzzTarget } from '../fuzz-target.js';

const words = [
  '&a ', '*a', '<<: ', '__proto__: ', 'constructor: ', '!!js/function ', '!!binary ', '!!set ', '? ', '- ', '{', '}',
  '[', ']', ': ', '\n', '\n  ', '\n---\n', '\n...\n', '%YAML 1.1\n', '# ', '| ', '> ', '"', "'", '\t', '~', '.inf',
  '.nan', '0x1F', '1e999', '2026-01-01', 'use: ', 'environment: ', 'algorithm: ', 'rewards: ', 'rollout: ', 'seed: ',
  'bandit', 'frozen-lake', 'grpo', 'ppo', 'promptsPerStep: ', 'groupSize: ', 'weight: ', 'steps: ', 'derived: ',
  'isolation: ', '{a: &a [x,x,x,x,x,x,x,x], b: &b [*a,*a,*a,*a,*a,*a,*a,*a]}', '\u0000', '\ufeff', '\u2028', '\\x41',
]; // prettier-ignore

const specs = [
  'environment: { use: bandit }\nalgorithm: { use: grpo }\n',
  'seed: 7\nsteps: 20\nenvironment:\n  use: frozen-lake\n  size: 4\n  p: 0.8\nalgorithm:\n  use: ppo\n  lambda: 0.95\n',
  'name: sokoban-test\nenvironment: { use: sokoban, dims: [6, 6], boxes: 1 }\nalgorithm: { use: starpo-s, keepRatio: 0.5 }\nrollout: { promptsPerStep: 8, groupSize: 16, maxTurns: 5, stopSequences: ["</answer>"] }\nupdate: { epochs: 2, miniBatches: 2, lossMask: { think: true } }\n',
  'environment: { use: bandit, arms: phoenix-dragon }\nalgorithm: { use: grpo, normalization: none }\nrewards:\n  - use: environment-return\n    weight: 1\n  - { use: format, weight: 0.5 }\noptimizer:\n  learningRate: 1e-5\n  schedule: { kind: cosine, warmupSteps: 10 }\nvalidation: { every: 0 }\ndevice: { threads: 2 }\n',
];

/** Builds the target; the registry has the installed plugins. */
export function createRunSpecTarget(registry: PluginRegistry): FuzzTarget {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const model = { contextLength: 1024, vocabularySize: 512, tokenizerVocabularySize: 512 };
  const read = (input: Uint8Array): void => {
    const { spec } = resolveRunSpec(parseConfig(decoder.decode(input), 'fuzz.yaml'), registry, () => ({
      limits: model,
    }));
    if (!Object.isFrozen(spec) || ({} as Record<string, unknown>)['polluted'] !== undefined)
      throw new Error('a spec that is not frozen, or a prototype that was changed');
  };
  return { name: 'run-spec', corpus: specs.map((spec) => encoder.encode(spec)), words, maxBytes: 1024, read };
}

/** @file Every target by name. */
import { fileURLToPath } from 'node:url';
import { discoverPlugins } from '@espalier/plugin-host';
import type { FuzzTarget } from './fuzz-target.js';
import { createGgufTarget } from './targets/gguf.js';
import { createModelConfigTarget } from './targets/model-config.js';
import { createReplyTarget } from './targets/reply.js';
import { createRunSpecTarget } from './targets/run-spec.js';
import { createSafetensorsTarget } from './targets/safetensors.js';
import { createTokenizerTarget } from './targets/tokenizer.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const builders: Readonly<Record<string, () => FuzzTarget | Promise<FuzzTarget>>> = {
  gguf: () => createGgufTarget(root),
  'model-config': () => createModelConfigTarget(root),
  reply: createReplyTarget,
  'run-spec': async () => createRunSpecTarget(await discoverPlugins({ root })),
  safetensors: createSafetensorsTarget,
  tokenizer: createTokenizerTarget,
};

/** Names of the targets, in the order they run. */
export const targetNames: readonly string[] = Object.keys(builders);

/** Builds one target. */
export async function createTarget(name: string): Promise<FuzzTarget> {
  const build = builders[name];
  if (build === undefined)
    throw new RangeError(`fuzz: no target "${name}"; targets are ${targetNames.join(', ')}`);
  return build();
}

/** @file Every target by name. */
import { fileURLToPath } from 'node:url';
import { discoverPlugins } from '@espalier/plugin-host';
import { environmentTargets, openSubject } from './environments/subject.js';
import { runEnvironment } from './environments/run-environment.js';
import type { FuzzTarget } from './fuzz-target.js';
import { runTarget } from './run-target.js';
import type { FuzzReport, FuzzRun } from './tally.js';
import { createGgufTarget } from './targets/gguf.js';
import { createGgufPartsTarget } from './targets/gguf-parts.js';
import { createModelConfigTarget } from './targets/model-config.js';
import { createReplyTarget } from './targets/reply.js';
import { createRunSpecTarget } from './targets/run-spec.js';
import { createSafetensorsTarget } from './targets/safetensors.js';
import { createTokenizerTarget } from './targets/tokenizer.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const builders: Readonly<Record<string, () => FuzzTarget | Promise<FuzzTarget>>> = {
  gguf: () => createGgufTarget(root),
  'gguf-parts': () => createGgufPartsTarget(root),
  'model-config': () => createModelConfigTarget(root),
  reply: createReplyTarget,
  'run-spec': async () => createRunSpecTarget(await discoverPlugins({ root })),
  safetensors: createSafetensorsTarget,
  tokenizer: createTokenizerTarget,
};

/** Names of the targets that read bytes. */
export const byteTargets: readonly string[] = Object.keys(builders);
/** Names of the environments, `env/bandit` … */
export const environmentNames = environmentTargets(root);
/** Names of all targets, in the order they run. */
export const targetNames: readonly string[] = [...byteTargets, ...environmentNames];

/** Builds one target that reads bytes. */
export async function createTarget(name: string): Promise<FuzzTarget> {
  const build = builders[name];
  if (build === undefined)
    throw new RangeError(`fuzz: no target "${name}"; targets are ${targetNames.join(', ')}`);
  return build();
}

/** Runs one target of any kind. */
export async function runNamed(name: string, run: FuzzRun): Promise<FuzzReport> {
  if (environmentNames.includes(name)) return runEnvironment(await openSubject(root, name), run);
  return runTarget(await createTarget(name), run);
}

/** @file How long the protocol's messages are, in tokens of the model: measured on one real state of the environment. */
import type { SingleSpec } from '@espalier/contracts/mixing';
import { loadTokenizer } from '@espalier/model';
import { startWatchdog } from '@espalier/plugin-host';
import { createContextFactory, promptOptionsOf, validateTokenizer } from '@espalier/rollout';
import type { OpenedModel } from '../local/open-model.js';
import type { PluginLookup } from '@espalier/trainer';

export interface PromptLengths {
  /** tokens of the first user message, system message included */
  readonly first: number;
  /** tokens of a later one: end of the reply, reward, state, demand; all of its prompt where turns are prompted alone */
  readonly later: number;
  /** most tokens that end a reply */
  readonly closing: number;
  /** the first message as text, markup of the chat template included */
  readonly firstText: string;
  readonly laterText: string;
  /** the environment draws pictures */
  readonly hasPictures: boolean;
}

/**
 * Opens the environment on seed 0 and encodes its first state as a first and as a later turn; plays nothing. An environment
 * that never returns is named after 10 s.
 */
export async function measurePrompt(
  spec: SingleSpec,
  model: OpenedModel,
  registry: PluginLookup,
): Promise<PromptLengths> {
  const watchdog = startWatchdog();
  try {
    return await measure(spec, model, registry);
  } finally {
    watchdog.dispose();
  }
}

async function measure(spec: SingleSpec, model: OpenedModel, registry: PluginLookup): Promise<PromptLengths> {
  const { use, isolation: _isolation, callTimeoutMs: _callTimeoutMs, ...params } = spec.environment;
  const definition = registry.get('environment', use);
  const { maxActions } = spec.rollout;
  const tokenizer = loadTokenizer(model.folder);
  validateTokenizer(tokenizer);
  const contexts = createContextFactory(tokenizer, promptOptionsOf(definition, params, spec.rollout));
  const instance = definition.create(params);
  try {
    const observation = await instance.reset({ state: 0, noise: 0 });
    const context = contexts.open();
    context.appendObservation({ observation, actionsLeft: maxActions });
    const first = context.length;
    const firstText = tokenizer.decode(context.tokens());
    context.appendSampled({ tokens: new Int32Array() });
    const closed = context.length;
    context.appendObservation({ observation, actionsLeft: maxActions, reward: 0 });
    // a turn that is prompted alone continues nothing
    const isAlone = context.windows().length > 1;
    const laterText = tokenizer.decode(isAlone ? context.prompt() : context.tokens().subarray(first));
    const closing = contexts.closingLength;
    const later = isAlone ? context.prompt().length : closing + context.length - closed;
    const hasPictures = instance.picture !== undefined;
    return { first, later, closing, firstText, laterText, hasPictures };
  } finally {
    await instance.close?.();
  }
}

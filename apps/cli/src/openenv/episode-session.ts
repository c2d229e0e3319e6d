/**
 * @file One agent's session with an environment in the protocol of OpenEnv: a message in, an answer out, strictly in turn.
 * Source: `openenv-core` 0.3.0, `env_server/types.py`.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { isAppError } from '@espalier/contracts';
import type { EnvironmentInstance, Observation, StepResult } from '@espalier/plugin-kit';
import { z } from 'zod';
import type { OpenedEnvironment } from '../local/open-environment.js';

const largestSeed = 2 ** 32 - 1;
const seed = z.int().min(0).max(largestSeed);

/** Fields of `reset` that an environment here knows; others belong to other environments and are left alone. */
const resetData = z.looseObject({
  seed: seed.nullish(),
  noise_seed: seed.nullish(),
  episode_id: z.string().max(255).nullish(),
});
const stepData = z.strictObject({ action: z.string(), metadata: z.unknown() }).partial({ metadata: true });
const message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('reset'), data: resetData.default({}) }),
  z.strictObject({ type: z.literal('step'), data: stepData }),
  z.strictObject({ type: z.literal('state') }),
  z.strictObject({ type: z.literal('close') }),
]);
const messageTypes = ['reset', 'step', 'state', 'close'];

/** What goes wrong, as the protocol names it. */
type ErrorCode = 'INVALID_JSON' | 'UNKNOWN_TYPE' | 'VALIDATION_ERROR' | 'EXECUTION_ERROR';

export interface Reply {
  readonly type: 'observation' | 'state' | 'error';
  readonly data: Readonly<Record<string, unknown>>;
}

export const errorReply = (code: string, text: string, more: object = {}): Reply => ({
  type: 'error',
  data: { message: text, code, ...more },
});

export interface EpisodeSession {
  /** Answers a message; undefined: it asks to close. */
  answer(text: string): Promise<Reply | undefined>;
  close(): Promise<void>;
}

/** Opens a session; each has an instance of its own. */
export function createEpisodeSession({ definition, params }: OpenedEnvironment): EpisodeSession {
  const instance: EnvironmentInstance = definition.create(params);
  let episode: { readonly id: string; steps: number; isDone: boolean } | undefined;

  const reset = async (data: z.infer<typeof resetData>): Promise<Reply> => {
    const state = data.seed ?? randomInt(largestSeed);
    const observation = await instance.reset({ state, noise: data.noise_seed ?? state });
    episode = { id: data.episode_id ?? randomUUID(), steps: 0, isDone: false };
    return observed(observation, instance.render(), null, false);
  };
  const step = async ({ action }: z.infer<typeof stepData>): Promise<Reply> => {
    if (episode === undefined)
      return errorReply('EXECUTION_ERROR', 'step: no episode has begun; send reset first');
    if (episode.isDone) return errorReply('EXECUTION_ERROR', 'step: the episode has ended; send reset');
    const result = await instance.step(action);
    episode.steps += 1;
    episode.isDone = result.done;
    return observed(result.observation, instance.render(), result.reward, result.done, result);
  };
  return {
    async answer(text) {
      const read = readMessage(text);
      if ('code' in read) return errorReply(read.code, read.text, read.more);
      try {
        switch (read.message.type) {
          case 'reset':
            return await reset(read.message.data);
          case 'step':
            return await step(read.message.data);
          case 'state':
            return {
              type: 'state',
              data: { episode_id: episode?.id ?? null, step_count: episode?.steps ?? 0 },
            };
          case 'close':
            return undefined;
        }
      } catch (error) {
        // the text of an error of the product is for users; any other may name files
        const reason = isAppError(error)
          ? error.message
          : 'the environment failed; its server has the details';
        return errorReply('EXECUTION_ERROR', `${read.message.type}: ${reason}`);
      }
    },
    close: async () => void (await instance.close?.()),
  };
}

function observed(
  { text, actions, legend, stateKey }: Observation,
  render: string,
  reward: number | null,
  done: boolean,
  result?: StepResult,
): Reply {
  const { success, valid, effective, metrics } = result ?? {};
  const told = result === undefined ? {} : { success, valid, effective, metrics: metrics ?? {} };
  const observation = {
    text,
    render,
    state_key: stateKey,
    actions: actions ?? null,
    legend: legend ?? null,
    ...told,
  };
  return { type: 'observation', data: { observation, reward, done } };
}

type Read =
  | { readonly message: z.infer<typeof message> }
  | { readonly code: ErrorCode; readonly text: string; readonly more: object };

function readMessage(text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: 'INVALID_JSON', text: 'the message is not JSON', more: {} };
  }
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type !== 'string' || !messageTypes.includes(type))
    return {
      code: 'UNKNOWN_TYPE',
      text: `a message has the type ${messageTypes.join(', ')}; found ${JSON.stringify(type)?.slice(0, 100) ?? 'none'}`,
      more: {},
    };
  const { data, error } = message.safeParse(value);
  if (data !== undefined) return { message: data };
  const errors = error.issues.map(({ path, message: issue }) => ({ loc: path, msg: issue }));
  const [first] = errors;
  return {
    code: 'VALIDATION_ERROR',
    text: `${type}: ${first?.loc.join('.') || 'the message'}: ${first?.msg ?? 'invalid'}`,
    more: { errors },
  };
}

/** JSON Schemas of actions, observations and state, for `GET /schema`. */
export function describeMessages(): Readonly<Record<'action' | 'observation' | 'state', object>> {
  const text = { type: 'string' };
  const nullable = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });
  return {
    action: {
      title: 'Action',
      type: 'object',
      properties: {
        action: { ...text, description: 'one of `actions` of the observation, or any text where it is null' },
      },
      required: ['action'],
      additionalProperties: false,
    },
    observation: {
      title: 'Observation',
      type: 'object',
      properties: {
        text: { ...text, description: 'the state as the agent sees it' },
        render: { ...text, description: 'the state as a person sees it' },
        state_key: { ...text, description: 'equal for equal states' },
        actions: nullable({ type: 'array', items: text }),
        legend: nullable({ type: 'object', additionalProperties: text }),
        success: { type: 'boolean', description: 'the task is solved; after a step' },
        valid: { type: 'boolean', description: 'the action was legal; after a step' },
        effective: { type: 'boolean', description: 'the action changed the state; after a step' },
        metrics: { type: 'object', additionalProperties: { type: 'number' } },
      },
      required: ['text', 'render'],
    },
    state: {
      title: 'State',
      type: 'object',
      properties: { episode_id: nullable(text), step_count: { type: 'integer', minimum: 0 } },
      required: ['episode_id', 'step_count'],
    },
  };
}

/**
 * @file Definitions whose functions run in another process, transparently for callers. Replies to `reset` and `step`
 * include `render` and `facts` of the new state, so an episode costs one round trip per action.
 */
import type {
  EnvironmentDefinition,
  EnvironmentInstance,
  EpisodeLimits,
  Observation,
  RewardDefinition,
  RewardResult,
  StepResult,
} from '@espalier/plugin-kit';
import { z } from 'zod';
import { pluginFailed } from '../boundary.js';
import type { AnyDefinition } from '../plugin-types.js';
import { guardDefinition } from '../guard-definition.js';
import type {
  DefinitionHook,
  DescribedDefinition,
  InstanceHook,
  InstanceState,
  Outcome,
  PluginRequest,
} from './protocol.js';
import { type PackageLink, PluginError, readOutcome } from './package-link.js';

/** Default timeout of one call, in milliseconds. */
export const defaultCallTimeoutMs = 10_000;

/** Whether a kind of plugin can run in its own process; the others build graphs or return folders. */
export const isIsolatable = (kind: string): boolean => kind === 'environment' || kind === 'reward';

/** Builds a guarded proxy of an environment or a reward. */
export function buildIsolated(
  link: PackageLink,
  described: DescribedDefinition,
  limitMs: number,
): AnyDefinition {
  const isEnvironment = described.kind === 'environment';
  return guardDefinition(
    isEnvironment ? isolatedEnvironment(link, described, limitMs) : isolatedReward(link, described, limitMs),
  );
}

const keyOf = ({ kind, id }: DescribedDefinition): string => `${kind} ${id}`;

/** A schema that validates in the other process; its JSON Schema comes from there too. */
function isolatedParams(link: PackageLink, described: DescribedDefinition): z.ZodType<unknown> {
  const schema = z.unknown().transform((value, context) => {
    const payload: PluginRequest = { op: 'params', key: keyOf(described), value };
    const result = link.requestSync(payload, defaultCallTimeoutMs) as
      | { data: unknown }
      | { issues: z.core.$ZodIssue[] };
    if ('data' in result) return result.data;
    for (const issue of result.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    return z.NEVER;
  });
  schema._zod.toJSONSchema = () => described.schema;
  return schema;
}

function isolatedReward(
  link: PackageLink,
  described: DescribedDefinition,
  limitMs: number,
): RewardDefinition<unknown> {
  const { id, summary, kit } = described;
  return {
    kind: 'reward',
    id,
    summary,
    kit,
    ...described.data,
    params: isolatedParams(link, described),
    score: (trajectory, params, signal) =>
      link.request(
        { op: 'score', key: keyOf(described), trajectory, params },
        limitMs,
        signal,
      ) as Promise<RewardResult>,
  };
}

function isolatedEnvironment(
  link: PackageLink,
  described: DescribedDefinition,
  limitMs: number,
): EnvironmentDefinition<unknown> {
  const { id, summary, kit } = described;
  const key = keyOf(described);
  const hooksByParams = new Map<string, ReadonlySet<string>>();
  const hooksOf = (params: unknown): ReadonlySet<string> => {
    const cacheKey = JSON.stringify(params);
    const known = hooksByParams.get(cacheKey);
    if (known !== undefined) return known;
    const found = new Set(link.requestSync({ op: 'hooks', key, params }, limitMs) as readonly string[]);
    hooksByParams.set(cacheKey, found);
    return found;
  };
  const ask = (hook: DefinitionHook, ...args: readonly unknown[]): unknown =>
    link.requestSync({ op: 'definition', key, hook, args }, limitMs);
  return {
    kind: 'environment',
    id,
    summary,
    kit,
    ...described.data,
    params: isolatedParams(link, described),
    instruction: (params) => ask('instruction', params) as string,
    limits: (params) => ask('limits', params) as EpisodeLimits,
    ...Object.fromEntries(
      described.functions.map((hook) => [hook, (...args: readonly unknown[]) => ask(hook, ...args)]),
    ),
    create: (params) => isolatedInstance({ link, described, limitMs, params }, hooksOf(params)),
  };
}

interface InstanceParts {
  readonly link: PackageLink;
  readonly described: DescribedDefinition;
  readonly limitMs: number;
  readonly params: unknown;
}

/** Instance numbers are unique in this process, so two definitions of one package never mix. */
let instances = 0;

function isolatedInstance(
  { link, described, limitMs, params }: InstanceParts,
  hooks: ReadonlySet<string>,
): EnvironmentInstance {
  const instance = instances++;
  let render: Outcome = {
    error: { name: 'Error', message: 'call reset before render' },
  };
  let facts: Outcome = { value: {} };
  const instanceRequest = (hook: InstanceHook, args: readonly unknown[]): PluginRequest => ({
    op: 'instance',
    key: keyOf(described),
    instance,
    params,
    hook,
    args,
  });
  const transition = async <T>(hook: InstanceHook, argument: unknown): Promise<T> => {
    try {
      const state = (await link.request(instanceRequest(hook, [argument]), limitMs)) as InstanceState;
      ({ render, facts } = state);
      return state.result as T;
    } catch (error) {
      throw error instanceof PluginError && error.hook !== undefined
        ? pluginFailed(
            { kind: described.kind, id: described.id },
            error.hook,
            `threw ${error.name}: ${error.message}`,
          )
        : error;
    }
  };
  const callSync = (hook: InstanceHook, ...args: readonly unknown[]): unknown =>
    link.requestSync(instanceRequest(hook, args), limitMs);
  return {
    reset: (seeds) => transition<Observation>('reset', seeds),
    step: (action) => transition<StepResult>('step', action),
    render: () => readOutcome(render) as string,
    // releases the instance in the other process even if it has no close hook
    close: async () => void (await link.request(instanceRequest('close', []), limitMs)),
    ...(hooks.has('facts') && { facts: () => readOutcome(facts) as Record<string, unknown> }),
    ...(hooks.has('picture') && { picture: () => callSync('picture') as Uint8Array }),
    ...(hooks.has('oracle') && { oracle: () => callSync('oracle') as string[] }),
    ...(hooks.has('sampleAction') && {
      sampleAction: (seed: number) => callSync('sampleAction', seed) as string,
    }),
    ...(hooks.has('explain') && {
      explain: (plan: readonly string[]) => callSync('explain', plan) as string,
    }),
    ...(hooks.has('snapshot') && { snapshot: () => callSync('snapshot') }),
    ...(hooks.has('restore') && {
      restore: (snapshot: unknown) => {
        ({ render, facts } = callSync('restore', snapshot) as InstanceState);
      },
    }),
  };
}

/**
 * @file Definitions whose functions run in another process; nothing above can tell. `reset` and `step` bring `render`
 * and `facts` of the new state along, so an episode costs one exchange per action.
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
import type { AnyDefinition } from '../definition-kinds.js';
import { guardDefinition } from '../guard-definition.js';
import type { DescribedDefinition, InstanceHook, MovedInstance, Outcome, Question } from './messages.js';
import { type PackageLink, PluginError, readOutcome } from './package-link.js';

/** Longest time of one call where nothing else is said, in milliseconds. */
export const defaultCallTimeoutMs = 10_000;

/** Tells whether a kind of plugin can run in a process of its own; the others build graphs or name folders. */
export const isIsolatable = (kind: string): boolean => kind === 'environment' || kind === 'reward';

/** Builds the guarded stand-in of an environment or a reward. */
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

/** A schema that has the other process check; its JSON Schema is what that process said. */
function isolatedParams(link: PackageLink, described: DescribedDefinition): z.ZodType<unknown> {
  const schema = z.unknown().transform((value, context) => {
    const question: Question = { op: 'params', key: keyOf(described), value };
    const result = link.askNow(question, defaultCallTimeoutMs) as
      { data: unknown } | { issues: z.core.$ZodIssue[] };
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
    ...{ kind: 'reward', id, summary, kit, params: isolatedParams(link, described) },
    score: (trajectory, params) =>
      link.ask({ op: 'score', key: keyOf(described), trajectory, params }, limitMs) as Promise<RewardResult>,
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
    const address = JSON.stringify(params);
    const known = hooksByParams.get(address);
    if (known !== undefined) return known;
    const found = new Set(link.askNow({ op: 'hooks', key, params }, limitMs) as readonly string[]);
    hooksByParams.set(address, found);
    return found;
  };
  return {
    ...{ kind: 'environment', id, summary, kit, params: isolatedParams(link, described) },
    instruction: (params) =>
      link.askNow({ op: 'definition', key, hook: 'instruction', params }, limitMs) as string,
    limits: (params) =>
      link.askNow({ op: 'definition', key, hook: 'limits', params }, limitMs) as EpisodeLimits,
    create: (params) => isolatedInstance({ link, described, limitMs, params }, hooksOf(params)),
  };
}

interface InstanceParts {
  readonly link: PackageLink;
  readonly described: DescribedDefinition;
  readonly limitMs: number;
  readonly params: unknown;
}

/** Numbers are unique in this process, so two definitions of one package never mix. */
let instances = 0;

function isolatedInstance(
  { link, described, limitMs, params }: InstanceParts,
  hooks: ReadonlySet<string>,
): EnvironmentInstance {
  const instance = instances++;
  let render: Outcome = {
    error: { name: 'Error', message: 'there is nothing to see before the first reset' },
  };
  let facts: Outcome = { value: {} };
  const question = (hook: InstanceHook, args: readonly unknown[]): Question => ({
    ...{ op: 'instance', key: keyOf(described), instance, params, hook, args },
  });
  const move = async <T>(hook: InstanceHook, argument: unknown): Promise<T> => {
    try {
      const moved = (await link.ask(question(hook, [argument]), limitMs)) as MovedInstance;
      ({ render, facts } = moved);
      return moved.result as T;
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
  const now = (hook: InstanceHook, ...args: readonly unknown[]): unknown =>
    link.askNow(question(hook, args), limitMs);
  return {
    reset: (seeds) => move<Observation>('reset', seeds),
    step: (action) => move<StepResult>('step', action),
    render: () => readOutcome(render) as string,
    // the other process forgets the instance, whether or not it has a hook for that
    close: async () => void (await link.ask(question('close', []), limitMs)),
    ...(hooks.has('facts') && { facts: () => readOutcome(facts) as Record<string, unknown> }),
    ...(hooks.has('oracle') && { oracle: () => now('oracle') as string[] }),
    ...(hooks.has('explain') && { explain: (plan: readonly string[]) => now('explain', plan) as string }),
    ...(hooks.has('snapshot') && { snapshot: () => now('snapshot') }),
    ...(hooks.has('restore') && {
      restore: (snapshot: unknown) => {
        ({ render, facts } = now('restore', snapshot) as MovedInstance);
      },
    }),
  };
}

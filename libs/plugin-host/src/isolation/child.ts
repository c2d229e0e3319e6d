/**
 * @file The program of a plugin's own process: loads one package and answers calls, one after the other. It ends with
 * its parent, also while plugin code never yields: another thread watches for that.
 */
import { Worker } from 'node:worker_threads';
import type { EnvironmentInstance, ResetSeeds } from '@espalier/plugin-kit';
import { paramsJsonSchema } from '@espalier/plugin-kit';
import type { AnyDefinition } from '../definition-kinds.js';
import { loadPackage } from '../load-package.js';
import { validateExport } from '../validate.js';
import {
  type ChildMessage,
  type DescribedPackage,
  type InstanceQuestion,
  type MovedInstance,
  optionalHooks,
  type Outcome,
  type Question,
  tellError,
} from './messages.js';

const parentWatch = `
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 200);
`;

/** Carries the name of a hook that failed on the way to the one that was asked. */
class HookError extends Error {
  readonly told;
  constructor(thrown: unknown, hook: string) {
    super('hook failed', { cause: thrown });
    this.told = tellError(thrown, hook);
  }
}

const send = process.send?.bind(process) as (message: ChildMessage) => void;
const exit = process.exit.bind(process);
// the channel is not for the plugin
Object.assign(process, { send: undefined });
process.on('disconnect', () => exit(0));
// Ctrl-C goes to the whole group; when to end is the parent's decision
process.on('SIGINT', () => undefined);
new Worker(parentWatch, { eval: true, env: {} }).unref();

const folder = process.argv[2] ?? '.';
const definitions = new Map<string, AnyDefinition>();
const instances = new Map<number, EnvironmentInstance>();
let described: DescribedPackage | undefined;

try {
  const { source, exported } = await loadPackage(folder);
  const found = validateExport(exported, source);
  for (const definition of found) definitions.set(`${definition.kind} ${definition.id}`, definition);
  described = {
    package: source.package,
    version: source.version,
    definitions: found.map((definition) => {
      const { kind, id, summary, kit } = definition;
      return { kind, id, summary, kit, schema: describeParams(definition) };
    }),
  };
  process.on('message', (calls: readonly { id: number; question: Question }[]) => calls.forEach(answer));
  send({ isReady: true });
} catch (thrown) {
  send({ cannotLoad: tellError(thrown) });
}

/** Options whose schema cannot be written down are still checked; only lists and forms lack them. */
function describeParams(definition: AnyDefinition): Record<string, unknown> {
  try {
    return paramsJsonSchema(definition);
  } catch {
    return {};
  }
}

function answer({ id, question }: { readonly id: number; readonly question: Question }): void {
  const done = (value: unknown): void => reply(id, { value });
  const failed = (thrown: unknown): void =>
    reply(id, { error: thrown instanceof HookError ? thrown.told : tellError(thrown) });
  try {
    const result = perform(question);
    if (!(result instanceof Promise)) return done(result);
    send({ id, isPending: true });
    result.then(done, failed);
  } catch (thrown) {
    failed(thrown);
  }
}

/** Sends an outcome; what cannot be copied to another process is an error of its own. */
function reply(id: number, outcome: Outcome): void {
  try {
    send({ id, outcome });
  } catch (thrown) {
    send({ id, outcome: { error: { ...tellError(thrown), name: 'DataCloneError' } } });
  }
}

function perform(question: Question): unknown {
  switch (question.op) {
    case 'describe':
      return described;
    case 'params': {
      const result = find(question.key).params.safeParse(question.value);
      return result.success ? { data: result.data } : { issues: result.error.issues };
    }
    case 'definition':
      return environment(question.key)[question.hook](question.params);
    case 'hooks': {
      const instance = environment(question.key).create(question.params);
      const found = optionalHooks.filter((hook) => typeof instance[hook] === 'function');
      return then(instance.close?.(), () => found);
    }
    case 'score': {
      const reward = find(question.key);
      if (reward.kind !== 'reward') throw new TypeError(`${question.key} is no reward`);
      return reward.score(question.trajectory as Parameters<typeof reward.score>[0], question.params);
    }
    case 'instance':
      return performHook(question);
  }
}

function performHook(question: InstanceQuestion): unknown {
  const { instance: number, hook, args } = question;
  if (hook === 'close') {
    const instance = instances.get(number);
    instances.delete(number);
    return instance?.close?.();
  }
  return then(openInstance(question), (instance) => {
    const call = instance[hook] as ((...given: readonly unknown[]) => unknown) | undefined;
    if (call === undefined) throw new TypeError(`the environment has no ${hook}`);
    const result = call.apply(instance, [...args]);
    if (hook !== 'reset' && hook !== 'step' && hook !== 'restore') return result;
    return then(result, (settled): MovedInstance => {
      const facts = (): unknown => structuredClone(instance.facts?.() ?? {});
      return { result: settled, render: attempt(() => instance.render()), facts: attempt(facts) };
    });
  });
}

/** The instance as the last call left it; in a new process it is played there first. */
function openInstance({
  key,
  instance: number,
  params,
  replay,
}: InstanceQuestion): EnvironmentInstance | Promise<EnvironmentInstance> {
  const known = instances.get(number);
  if (known !== undefined && replay === undefined) return known;
  let made: EnvironmentInstance;
  try {
    made = environment(key).create(params);
  } catch (thrown) {
    throw new HookError(thrown, 'create');
  }
  instances.set(number, made);
  if (replay === undefined) return made;
  const { seeds, snapshot, actions } = replay;
  const start: unknown = snapshot === undefined ? made.reset(seeds as ResetSeeds) : made.restore?.(snapshot);
  const played = actions.reduce((state, action) => then(state, () => made.step(action) as unknown), start);
  return then(played, () => made);
}

function environment(key: string): Extract<AnyDefinition, { kind: 'environment' }> {
  const definition = find(key);
  if (definition.kind !== 'environment') throw new TypeError(`${key} is no environment`);
  return definition;
}

function find(key: string): AnyDefinition {
  const definition = definitions.get(key);
  if (definition === undefined) throw new TypeError(`the package has no ${key}`);
  return definition;
}

/** Goes on at once with a plain value, later with a promise: what is synchronous stays so. */
function then<T, R>(value: T | Promise<T>, next: (settled: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}

function attempt(read: () => unknown): Outcome {
  try {
    return { value: read() };
  } catch (thrown) {
    return { error: tellError(thrown) };
  }
}

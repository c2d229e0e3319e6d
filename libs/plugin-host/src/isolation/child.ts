/**
 * @file The program of a plugin process: loads one package and serves calls one at a time. It exits with its parent even
 * while plugin code never yields: a thread watches for that.
 */
import { Worker } from 'node:worker_threads';
import type { EnvironmentInstance, ResetSeeds } from '@espalier/plugin-kit';
import { paramsJsonSchema } from '@espalier/plugin-kit';
import type { AnyDefinition } from '../plugin-types.js';
import { loadPackage } from '../load-package.js';
import { validateExport } from '../validate.js';
import {
  type ChildMessage,
  type ChildRequest,
  definitionHooks,
  type DescribedDefinition,
  type DescribedPackage,
  type InstanceRequest,
  type InstanceState,
  optionalHooks,
  type Outcome,
  type PluginRequest,
  serializeError,
} from './protocol.js';

const parentWatch = `
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 200);
`;

/** Carries the name of a hook that failed before the requested one could run. */
class HookError extends Error {
  readonly serialized;
  constructor(thrown: unknown, hook: string) {
    super('hook failed', { cause: thrown });
    this.serialized = serializeError(thrown, hook);
  }
}

const send = process.send?.bind(process) as (message: ChildMessage) => void;
const exit = process.exit.bind(process);
// hide the channel from the plugin
Object.assign(process, { send: undefined });
process.on('disconnect', () => exit(0));
// Ctrl-C reaches the whole process group; the parent decides when to exit
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
      return { kind, id, summary, kit, schema: describeParams(definition), ...describeParts(definition) };
    }),
  };
  process.on('message', (requests: readonly ChildRequest[]) =>
    requests.forEach((request) =>
      'abort' in request ? controllers.get(request.abort)?.abort() : answer(request),
    ),
  );
  send({ isReady: true });
} catch (thrown) {
  send({ cannotLoad: serializeError(thrown) });
}

/** Options whose schema cannot be expressed as JSON Schema are still validated; only lists and forms lack them. */
function describeParams(definition: AnyDefinition): Record<string, unknown> {
  try {
    return paramsJsonSchema(definition);
  } catch {
    return {};
  }
}

/** Plain data, and which optional functions there are. */
function describeParts(definition: AnyDefinition): Pick<DescribedDefinition, 'data' | 'functions'> {
  const given = definition as unknown as Readonly<Record<string, unknown>>;
  return {
    data: Object.fromEntries(
      ['metrics', 'presets'].flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
    ),
    functions: definitionHooks.filter((name) => typeof given[name] === 'function'),
  };
}

/** Of rewards that are waited for. */
const controllers = new Map<number, AbortController>();

function answer({ id, request, isAborted }: Exclude<ChildRequest, { readonly abort: number }>): void {
  const openSignal = (): AbortSignal => {
    const controller = new AbortController();
    if (isAborted) controller.abort();
    controllers.set(id, controller);
    return controller.signal;
  };
  const done = (value: unknown): void => reply(id, { value });
  const failed = (thrown: unknown): void =>
    reply(id, { error: thrown instanceof HookError ? thrown.serialized : serializeError(thrown) });
  try {
    const result = handle(request, openSignal);
    if (!(result instanceof Promise)) return done(result);
    send({ id, isPending: true });
    result.then(done, failed);
  } catch (thrown) {
    failed(thrown);
  }
}

/** Sends an outcome, or an error when it cannot be cloned to another process. */
function reply(id: number, outcome: Outcome): void {
  controllers.delete(id);
  try {
    send({ id, outcome });
  } catch (thrown) {
    send({ id, outcome: { error: { ...serializeError(thrown), name: 'DataCloneError' } } });
  }
}

function handle(request: PluginRequest, openSignal: () => AbortSignal): unknown {
  switch (request.op) {
    case 'describe':
      return described;
    case 'params': {
      const result = find(request.key).params.safeParse(request.value);
      return result.success ? { data: result.data } : { issues: result.error.issues };
    }
    case 'definition':
      return callHook(environment(request.key), request.hook, request.args);
    case 'hooks': {
      const instance = environment(request.key).create(request.params);
      const found = optionalHooks.filter((hook) => typeof instance[hook] === 'function');
      return then(instance.close?.(), () => found);
    }
    case 'score': {
      const reward = find(request.key);
      if (reward.kind !== 'reward') throw new TypeError(`${request.key} is not a reward`);
      return reward.score(
        request.trajectory as Parameters<typeof reward.score>[0],
        request.params,
        openSignal(),
      );
    }
    case 'instance':
      return runHook(request);
  }
}

function runHook(request: InstanceRequest): unknown {
  const { instance: number, hook, args } = request;
  if (hook === 'close') {
    const instance = instances.get(number);
    instances.delete(number);
    return instance?.close?.();
  }
  return then(openInstance(request), (instance) => {
    const result = callHook(instance, hook, args);
    if (hook !== 'reset' && hook !== 'step' && hook !== 'restore') return result;
    return then(result, (settled): InstanceState => {
      const facts = (): unknown => structuredClone(instance.facts?.() ?? {});
      return { result: settled, render: attempt(() => instance.render()), facts: attempt(facts) };
    });
  });
}

function callHook<Hook extends string>(
  of: { readonly [name in Hook]?: unknown },
  hook: Hook,
  args: readonly unknown[],
): unknown {
  const call = of[hook] as ((...given: readonly unknown[]) => unknown) | undefined;
  if (call === undefined) throw new TypeError(`the environment has no ${hook}`);
  return call.apply(of, [...args]);
}

/** The instance as the last call left it; a new process replays its actions first. */
function openInstance({
  key,
  instance: number,
  params,
  replay,
}: InstanceRequest): EnvironmentInstance | Promise<EnvironmentInstance> {
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
  if (definition.kind !== 'environment') throw new TypeError(`${key} is not an environment`);
  return definition;
}

function find(key: string): AnyDefinition {
  const definition = definitions.get(key);
  if (definition === undefined) throw new TypeError(`the package has no ${key}`);
  return definition;
}

/** Continues at once with a plain value, later with a promise, so that synchronous calls stay synchronous. */
function then<T, R>(value: T | Promise<T>, next: (settled: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}

function attempt(read: () => unknown): Outcome {
  try {
    return { value: read() };
  } catch (thrown) {
    return { error: serializeError(thrown) };
  }
}

/**
 * @file Messages between Espalier and a plugin process. Everything is plain data that survives a structured clone:
 * numbers keep their bits, typed arrays their type.
 */

/** Where a plugin runs: in this process, or in its own, which can be killed. */
export type Isolation = 'none' | 'process';

/** A definition without its functions. */
export interface DescribedDefinition {
  readonly kind: string;
  readonly id: string;
  readonly summary: string;
  readonly kit: string;
  /** JSON Schema of its options, before defaults are filled in */
  readonly schema: Record<string, unknown>;
  /** what else of it is data, and stays absent where the author gave none */
  readonly data: Readonly<Record<string, unknown>>;
  /** optional functions of the definition itself that it has */
  readonly functions: readonly (typeof definitionHooks)[number][];
}

/** Optional functions of an environment's definition, which return plain data. */
export const definitionHooks = ['reads', 'inert', 'agent'] as const;

/** A function of an environment's definition. */
export type DefinitionHook = 'instruction' | 'limits' | (typeof definitionHooks)[number];

export interface DescribedPackage {
  readonly package: string;
  readonly version: string;
  readonly definitions: readonly DescribedDefinition[];
}

/** Optional functions of an environment. */
export const optionalHooks = [
  'close',
  'picture',
  'oracle',
  'sampleAction',
  'facts',
  'explain',
  'snapshot',
  'restore',
] as const;
export type InstanceHook = 'reset' | 'step' | 'render' | (typeof optionalHooks)[number];

/** A request to a package; `key` is `<kind> <id>`. */
export type PluginRequest =
  | { readonly op: 'describe' }
  | { readonly op: 'params'; readonly key: string; readonly value: unknown }
  | {
      readonly op: 'definition';
      readonly key: string;
      readonly hook: DefinitionHook;
      readonly args: readonly unknown[];
    }
  /** which optional hooks an instance has */
  | { readonly op: 'hooks'; readonly key: string; readonly params: unknown }
  | InstanceRequest
  | { readonly op: 'score'; readonly key: string; readonly trajectory: unknown; readonly params: unknown };

export interface InstanceRequest {
  readonly op: 'instance';
  readonly key: string;
  readonly instance: number;
  readonly params: unknown;
  readonly hook: InstanceHook;
  readonly args: readonly unknown[];
  /** restores the state of the instance in a new process */
  readonly replay?: Replay;
}

export interface Replay {
  readonly seeds: unknown;
  readonly snapshot?: unknown;
  readonly actions: readonly string[];
}

/** An error as data. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  /** of an AppError */
  readonly code?: string;
  /** the hook that failed, where it is not the requested one */
  readonly hook?: string;
  /** from the plugin process, for the line that threw */
  readonly stack?: string;
}

export type Outcome = { readonly value: unknown } | { readonly error: SerializedError };

/** The result of `reset`, `step` or `restore`, with what the pure hooks return for the new state. */
export interface InstanceState {
  readonly result: unknown;
  readonly render: Outcome;
  readonly facts: Outcome;
}

/** From the plugin process. `isPending`: the hook returned a promise, so the process is free for other calls. */
export type ChildMessage =
  | { readonly isReady: true }
  | { readonly cannotLoad: SerializedError }
  | { readonly id: number; readonly isPending: true }
  | { readonly id: number; readonly outcome: Outcome };

/** To the plugin process: a call, or that the signal of an earlier one has aborted. */
export type ChildRequest =
  | { readonly id: number; readonly request: PluginRequest; readonly isAborted: boolean }
  | { readonly abort: number };

export interface Call {
  readonly id: number;
  readonly request: PluginRequest;
  readonly limitMs: number;
  /** the caller blocks its event loop until the reply arrives */
  readonly isSync: boolean;
}

/** The outcome of a call, or why there is none: a timeout, the exit of the process, or a failed load. */
export type CallResult =
  | { readonly id: number; readonly outcome: Outcome }
  | {
      readonly id: number;
      readonly ended: 'timeout' | 'exit' | 'load';
      readonly finding: string;
      readonly code?: string;
    };

/** Turns any thrown value into plain data. */
export function serializeError(thrown: unknown, hook?: string): SerializedError {
  const where = hook === undefined ? {} : { hook };
  if (!(thrown instanceof Error)) return { name: '', message: String(thrown), ...where };
  const code = (thrown as { code?: unknown }).code;
  return {
    name: thrown.name,
    message: thrown.message,
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack.slice(0, 4000) }),
    ...(thrown.name === 'AppError' && typeof code === 'string' ? { code } : {}),
    ...where,
  };
}

/**
 * @file What is said between Espalier and a plugin in a process of its own. Everything is plain data that survives a
 * structured clone: numbers keep their bits, typed arrays their type.
 */

/** Where a plugin's code runs: in this process, or in one of its own that can be ended. */
export type Isolation = 'none' | 'process';

/** A definition without its functions. */
export interface DescribedDefinition {
  readonly kind: string;
  readonly id: string;
  readonly summary: string;
  readonly kit: string;
  /** JSON Schema of its options as a person writes them */
  readonly schema: Record<string, unknown>;
}

export interface DescribedPackage {
  readonly package: string;
  readonly version: string;
  readonly definitions: readonly DescribedDefinition[];
}

/** Optional functions of an environment. */
export const optionalHooks = ['close', 'oracle', 'facts', 'explain', 'snapshot', 'restore'] as const;
export type InstanceHook = 'reset' | 'step' | 'render' | (typeof optionalHooks)[number];

/** What a package can be asked; `key` is `<kind> <id>`. */
export type Question =
  | { readonly op: 'describe' }
  | { readonly op: 'params'; readonly key: string; readonly value: unknown }
  | {
      readonly op: 'definition';
      readonly key: string;
      readonly hook: 'instruction' | 'limits';
      readonly params: unknown;
    }
  /** which optional hooks an instance has */
  | { readonly op: 'hooks'; readonly key: string; readonly params: unknown }
  | InstanceQuestion
  | { readonly op: 'score'; readonly key: string; readonly trajectory: unknown; readonly params: unknown };

export interface InstanceQuestion {
  readonly op: 'instance';
  readonly key: string;
  readonly instance: number;
  readonly params: unknown;
  readonly hook: InstanceHook;
  readonly args: readonly unknown[];
  /** how to bring a new process to where an ended one was */
  readonly replay?: Replay;
}

export interface Replay {
  readonly seeds: unknown;
  readonly snapshot?: unknown;
  readonly actions: readonly string[];
}

/** An error as data. */
export interface ToldError {
  readonly name: string;
  readonly message: string;
  /** of an AppError */
  readonly code?: string;
  /** the hook that failed, where it is not the one that was asked */
  readonly hook?: string;
  /** of the plugin's process, for the line that threw */
  readonly stack?: string;
}

export type Outcome = { readonly value: unknown } | { readonly error: ToldError };

/** What a reset or a step changed: its result, and what the pure hooks say about the new state. */
export interface MovedInstance {
  readonly result: unknown;
  readonly render: Outcome;
  readonly facts: Outcome;
}

/** From the plugin's process. `isPending`: the hook gave a promise, so the process is free for other calls. */
export type ChildMessage =
  | { readonly isReady: true }
  | { readonly cannotLoad: ToldError }
  | { readonly id: number; readonly isPending: true }
  | { readonly id: number; readonly outcome: Outcome };

export interface Call {
  readonly id: number;
  readonly question: Question;
  readonly limitMs: number;
  /** the caller waits without turning its event loop */
  readonly isSync: boolean;
}

/** Why a call has no outcome: `timeout` or the end of the process. */
export type CallResult =
  | { readonly id: number; readonly outcome: Outcome }
  | {
      readonly id: number;
      readonly ended: 'timeout' | 'exit' | 'load';
      readonly finding: string;
      readonly code?: string;
    };

/** Makes data of anything that was thrown. */
export function tellError(thrown: unknown, hook?: string): ToldError {
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

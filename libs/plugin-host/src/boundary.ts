/**
 * @file The boundary between Espalier and plugin code. Anything a plugin throws or wrongly returns becomes a
 * `plugin.failed` error that names the plugin, the hook and the position in the run. Synchronous calls stay synchronous.
 */
import { fileURLToPath } from 'node:url';
import { AppError, isAppError, stackLocations } from '@espalier/contracts';
import { enterCall, leaveCall } from './watchdog/current-call.js';

/** The plugin being called. */
export interface PluginLabel {
  readonly kind: string;
  readonly id: string;
}

/** The position in the run, as far as the caller knows it. */
export type CallContext = Readonly<Record<string, number | string | undefined>>;

/** Describes why a result is invalid, in the form `returned reward NaN; expected a finite number`. */
export type ResultCheck<T> = (result: T) => string | undefined;

/** Largest absolute reward: sums of squares over a batch stay far below the float32 maximum. */
const maxReward = 1e12;

/** Describes why a reward value is invalid; undefined when it is valid. */
export function checkRewardValue(value: number): string | undefined {
  if (!Number.isFinite(value)) return `${String(value)}; expected a finite number`;
  return Math.abs(value) > maxReward ? `${value}; expected a number within ±${maxReward}` : undefined;
}

/**
 * Calls plugin code.
 *
 * @param check describes an invalid result
 * @param context evaluated only when the call fails
 * @throws plugin.failed, synchronously or as a rejection
 */
export function guard<T>(
  plugin: PluginLabel,
  hook: string,
  call: () => T,
  check?: ResultCheck<Awaited<T>>,
  context?: () => CallContext,
): T {
  let result: T;
  const outer = enterCall(plugin.kind, plugin.id, hook);
  try {
    result = call();
  } catch (error) {
    throw pluginFailed(plugin, hook, describeError(error), context?.(), error);
  } finally {
    leaveCall(outer);
  }
  if (result instanceof Promise) {
    const checked = result.then(
      (value: Awaited<T>) => accept(plugin, hook, value, check, context),
      (error: unknown) => {
        throw pluginFailed(plugin, hook, describeError(error), context?.(), error);
      },
    );
    return checked as T;
  }
  return accept(plugin, hook, result as Awaited<T>, check, context) as T;
}

function accept<T>(
  plugin: PluginLabel,
  hook: string,
  result: T,
  check: ResultCheck<T> | undefined,
  context: (() => CallContext) | undefined,
): T {
  let finding: string | undefined;
  try {
    finding = check?.(result);
  } catch {
    finding = `returned ${typeof result}; expected a result that matches the types of the plugin kit`;
  }
  if (finding !== undefined) throw pluginFailed(plugin, hook, finding, context?.());
  return result;
}

/** Codes that a plugin may throw itself. */
const ownCodes = ['plugin.failed', 'plugin.timeout', 'plugin.budget_exhausted'] as const;

/** Builds the error of a plugin; one that is already attributed is returned unchanged. */
export function pluginFailed(
  plugin: PluginLabel,
  hook: string,
  finding: string,
  context: CallContext = {},
  cause?: unknown,
): AppError {
  const own = isAppError(cause) ? ownCodes.find((code) => code === cause.code) : undefined;
  // already attributed by an inner guard
  if (own !== undefined && isAppError(cause) && cause.details['hook'] !== undefined) return cause;
  const known = Object.entries(context).filter(([, value]) => value !== undefined);
  const place = known.length === 0 ? '' : ` (${known.map(([name, value]) => `${name} ${value}`).join(', ')})`;
  const found = own !== undefined && isAppError(cause) ? cause.message : finding;
  const code = own ?? 'plugin.failed';
  return new AppError(code, `${plugin.kind} "${plugin.id}", hook "${hook}"${place}: ${found}`, {
    details: { kind: plugin.kind, id: plugin.id, hook, ...Object.fromEntries(known) },
    ...(cause === undefined ? {} : { cause }),
  });
}

function describeError(error: unknown): string {
  return error instanceof Error
    ? `threw ${error.name}: ${error.message}${locationOf(error)}`
    : `threw ${String(error)}; expected an Error`;
}

/** The position in the plugin's own file: the first stack frame outside Node and our libraries. */
function locationOf(error: Error): string {
  for (const place of stackLocations(error)) {
    // from here on the frames are the plugin's callers
    if (callers.some((folder) => place.startsWith(folder))) return '';
    if (!place.startsWith(libraries) && !place.includes('/node_modules/zod/')) return ` (at ${place})`;
  }
  return '';
}

/** Libraries of this installation that a plugin may call, such as the kit. */
const libraries = fileURLToPath(new URL('../..', import.meta.url));
const callers = ['plugin-host/', 'rollout/'].map((name) => libraries + name);

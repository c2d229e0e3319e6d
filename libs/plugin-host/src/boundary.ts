/**
 * @file The border between Espalier and plugin code. Whatever a plugin throws or wrongly returns becomes one
 * `plugin.failed` error that names plugin, hook and where in the run it happened. Synchronous calls stay synchronous.
 */
import { fileURLToPath } from 'node:url';
import { AppError, isAppError } from '@espalier/contracts';
import { stackPlaces } from './stack-places.js';
import { enterCall, leaveCall } from './watchdog/current-call.js';

/** Who is called. */
export interface PluginLabel {
  readonly kind: string;
  readonly id: string;
}

/** Where in the run, as far as the caller knows. */
export type CallContext = Readonly<Record<string, number | string | undefined>>;

/** Finds what is illegal about a result, in the form `returned reward NaN; expected a finite number`. */
export type ResultCheck<T> = (result: T) => string | undefined;

/** Largest reward of either sign: sums of squares over a batch stay far from the end of float32. */
const largestReward = 1e12;

/** Says what is wrong about a reward, or a part of one; undefined: nothing. */
export function findingOfReward(value: number): string | undefined {
  if (!Number.isFinite(value)) return `${String(value)}; expected a finite number`;
  return Math.abs(value) > largestReward ? `${value}; expected a number within ±${largestReward}` : undefined;
}

/**
 * Calls plugin code.
 *
 * @param check finds an illegal result
 * @param context evaluated only when the call fails
 * @throws plugin.failed, also as the rejection of a promise
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
    finding = `returned ${typeof result}; expected what the kit's types say`;
  }
  if (finding !== undefined) throw pluginFailed(plugin, hook, finding, context?.());
  return result;
}

/** Makes the error of a plugin; one that already is such an error stays as it is. */
export function pluginFailed(
  plugin: PluginLabel,
  hook: string,
  finding: string,
  context: CallContext = {},
  cause?: unknown,
): AppError {
  const isLate = isAppError(cause) && cause.code === 'plugin.timeout';
  const isOurs = isLate || (isAppError(cause) && cause.code === 'plugin.failed');
  // an error of the border that already says whose it is stays as it is
  if (isOurs && cause.details['hook'] !== undefined) return cause;
  const known = Object.entries(context).filter(([, value]) => value !== undefined);
  const place = known.length === 0 ? '' : ` (${known.map(([name, value]) => `${name} ${value}`).join(', ')})`;
  const found = isOurs ? cause.message : finding;
  const code = isLate ? 'plugin.timeout' : 'plugin.failed';
  return new AppError(code, `${plugin.kind} "${plugin.id}", hook "${hook}"${place}: ${found}`, {
    details: { kind: plugin.kind, id: plugin.id, hook, ...Object.fromEntries(known) },
    ...(cause === undefined ? {} : { cause }),
  });
}

function describeError(error: unknown): string {
  return error instanceof Error
    ? `threw ${error.name}: ${error.message}${placeOf(error)}`
    : `threw ${String(error)}; expected an Error`;
}

/** The line of the plugin's own file: the first of the stack that is neither Node's nor a library's. */
function placeOf(error: Error): string {
  for (const place of stackPlaces(error)) {
    // from here on it is who called the plugin
    if (callers.some((folder) => place.startsWith(folder))) return '';
    if (!place.startsWith(libraries) && !place.includes('/node_modules/zod/')) return ` (at ${place})`;
  }
  return '';
}

/** Libraries of this installation, through which a plugin may have called: the kit, random numbers. */
const libraries = fileURLToPath(new URL('../..', import.meta.url));
const callers = ['plugin-host/', 'rollout/'].map((name) => libraries + name);

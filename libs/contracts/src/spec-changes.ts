/** @file Numbers of a run's spec that change while it runs, by their paths: what a roll-back may set. */

/** Sets a number, or multiplies the one that is in force. */
export interface SettingChange {
  readonly to?: number | undefined;
  readonly times?: number | undefined;
}

/** Paths that may change without another model, other episodes or another plan of the run. */
export const changeablePath =
  /^(?:(?:optimizer|criticOptimizer)\.(?:learningRate|beta1|beta2|epsilon|weightDecay|maxGradientNorm)|update\.(?:epochs|miniBatches)|filter\.value|algorithm\.[A-Za-z]\w*(?:\.[A-Za-z]\w*){0,3})$/;

/** What such a path may be, as the end of an error. */
export const changeablePathForm =
  'expected the path of a number that may change: optimizer.learningRate, beta1, beta2, epsilon, weightDecay or maxGradientNorm (criticOptimizer has the same), update.epochs, update.miniBatches, filter.value, or an option of the algorithm, such as algorithm.keepRatio; the path is one key, as in --set "monitor.onCollapse.change={optimizer.learningRate: {times: 0.5}}"';

/** Reads the number at a path; undefined: there is none. */
export function readSetting(spec: object, path: string): number | undefined {
  let at: unknown = spec;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return typeof at === 'number' ? at : undefined;
}

/** Gives a copy with other numbers at these paths, which must exist. */
export function applySettings<Spec extends object>(
  spec: Spec,
  settings: Readonly<Record<string, number>>,
): Spec {
  return Object.entries(settings).reduce(
    (changed, [path, value]) => put(changed, path.split('.'), value),
    spec,
  );
}

function put<Value extends object>(
  target: Value,
  [key = '', ...rest]: readonly string[],
  value: number,
): Value {
  const inside = (target as Record<string, unknown>)[key];
  return { ...target, [key]: rest.length === 0 ? value : put(inside as object, rest, value) };
}

/** Gives the numbers that are in force after a change; whole numbers stay whole, and at least 1. */
export function changeSettings(
  spec: object,
  changes: Readonly<Record<string, SettingChange>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(changes).map(([path, { to, times = 1 }]) => {
      const now = readSetting(spec, path) ?? Number.NaN;
      const next = to ?? now * times;
      return [path, path.startsWith('update.') ? Math.max(1, Math.round(next)) : next];
    }),
  );
}

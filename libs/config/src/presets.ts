/**
 * @file Presets of environments: options and limits that `preset: <name>` next to `use` chooses. A resolved spec holds their
 * values, not the name, so it means the same when a preset changes.
 */
import { AppError } from '@espalier/contracts';
import { nearestKey } from '@espalier/contracts/nearest-key';
import { joinPath, quote } from './json.js';
import type { ResolvedPlugin } from './plugin-options.js';
import type { ConfigurableEnvironment, ConfigurablePlugin } from './registry.js';

type Options = Readonly<Record<string, unknown>>;

/** What a section takes from its preset. */
export interface ChosenPreset {
  /** names of the options that are not written next to it */
  readonly names: readonly string[];
  readonly limits: Partial<ReturnType<ConfigurableEnvironment['limits']>>;
}

/** The names of the presets of a plugin. */
export const presetNames = (plugin: ConfigurablePlugin): string[] =>
  Object.keys((plugin as ConfigurableEnvironment).presets ?? {});

/**
 * Puts the options of the preset below those that are written.
 *
 * @throws config.wrong_type when the plugin has no preset of that name
 */
export function applyPreset(
  plugin: ConfigurablePlugin,
  written: Options,
  location: string,
): { readonly options: Options; readonly preset?: ChosenPreset } {
  const names = presetNames(plugin);
  if (names.length === 0 || written['preset'] === undefined) return { options: written };
  const { preset: name, ...options } = written;
  const { presets = {} } = plugin as ConfigurableEnvironment;
  const chosen = typeof name === 'string' && Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (chosen === undefined) {
    const near = typeof name === 'string' ? nearestKey(name, names) : undefined;
    const remedy = near === undefined ? `${plugin.id} has ${names.join(', ')}` : `did you mean ${near}?`;
    throw new AppError(
      'config.wrong_type',
      `${location}: ${plugin.id} has no preset ${quote(name)}; ${remedy}`,
    );
  }
  const taken = Object.keys(chosen.options).filter((key) => !Object.hasOwn(options, key));
  return {
    options: { ...chosen.options, ...options },
    preset: { names: taken, limits: chosen.limits ?? {} },
  };
}

/** The limits of an environment: those of its preset, else of its options. */
export function limitsOf({
  plugin,
  options,
  preset,
}: Pick<ResolvedPlugin, 'plugin' | 'options' | 'preset'>): ReturnType<ConfigurableEnvironment['limits']> {
  return { ...(plugin as ConfigurableEnvironment).limits(options), ...preset?.limits };
}

/** Tells of a path of the spec whether its value comes from the preset of an environment, by the path of its section. */
export function presetPaths(environments: ReadonlyMap<string, ResolvedPlugin>): (path: string) => boolean {
  const paths = [...environments].flatMap(([at, { preset }]) => {
    if (preset === undefined) return [];
    const section = at.split('.').slice(0, -1);
    return [
      ...preset.names.map((name) => `${at}.${name}`),
      ...Object.keys(preset.limits).map((name) =>
        joinPath([...(section.length === 0 ? ['rollout'] : section), name]),
      ),
    ];
  });
  return (path) => paths.some((one) => path === one || path.startsWith(`${one}.`));
}

/**
 * @file Finds the plugin that `use` names and validates its options with the schema of the plugin.
 */
import { AppError, isAppError } from '@espalier/contracts';
import type { ModelChoice } from '@espalier/contracts/model-choice';
import { nearestKey } from '@espalier/contracts/nearest-key';
import { isRecord } from '@espalier/contracts/values';
import { remedyForForeignAlgorithm } from './foreign-names.js';
import { joinPath, quote } from './json.js';
import type { ConfigInput } from './load-config.js';
import { applyPreset, type ChosenPreset, presetNames } from './presets.js';
import { describeIssues, inputSchema, locate, type Problem, throwProblems, unknownKey } from './problems.js';
import type { ConfigurablePlugin, PluginKind, PluginRegistry } from './registry.js';

/** A section of a spec that selects a plugin. */
export interface ChosenPlugin {
  readonly kind: PluginKind;
  readonly path: readonly string[];
  readonly chosen: Readonly<Record<string, unknown>> & { readonly use: string };
  /** keys next to `use` that belong to the core, not to the plugin */
  readonly coreKeys: readonly string[];
}

export interface ResolvedPlugin {
  readonly plugin: ConfigurablePlugin | undefined;
  /** complete options */
  readonly options: Readonly<Record<string, unknown>>;
  /** what an environment takes from its preset */
  readonly preset?: ChosenPreset;
}

/** Finds an installed plugin. @throws why it is broken, or plugin.not_found with the nearest id, the option that does it, or all ids */
export function findPlugin(
  registry: PluginRegistry,
  kind: PluginKind,
  id: string,
  location: string,
): ConfigurablePlugin {
  const installed = registry.list().filter((plugin) => plugin.kind === kind);
  const found = installed.find((plugin) => plugin.id === id);
  if (found !== undefined) return found;
  const failure = registry.failure?.(kind, id);
  if (failure !== undefined) {
    const message = `${location}: ${kind} ${quote(id)} cannot be used: ${failure.message}`;
    throw new AppError(failure.code, message, { details: failure.details, cause: failure });
  }
  const ids = installed.map((plugin) => plugin.id).sort();
  const near = nearestKey(id, ids);
  let remedy = near === undefined ? `installed: ${ids.join(', ') || 'none'}` : `did you mean ${near}?`;
  if (kind === 'model' && isPath(id)) remedy = `a folder is named by model: { path: ${id} }`;
  if (kind === 'algorithm') remedy = remedyForForeignAlgorithm(id) ?? remedy;
  throw new AppError('plugin.not_found', `${location}: no ${kind} ${quote(id)} is installed; ${remedy}`, {
    details: { kind, id, installed: ids },
  });
}

const isPath = (text: string): boolean => /[\\/]|^\./.test(text);

/** Resolves one selected plugin; on failure, adds problems to the list and returns empty options. */
export function resolvePlugin(
  input: ConfigInput,
  registry: PluginRegistry,
  choice: ChosenPlugin,
  problems: Problem[],
): ResolvedPlugin {
  const { chosen, coreKeys } = choice;
  const written = Object.fromEntries(
    Object.entries(chosen).filter(([key]) => key !== 'use' && !coreKeys.includes(key)),
  );
  const plugin = findOrReport(input, registry, choice, problems);
  if (plugin === undefined) return { plugin, options: {} };
  const merged = report(joinPath([...choice.path, 'preset']), problems, (at) =>
    applyPreset(plugin, written, locate(input, at)),
  );
  if (merged === undefined) return { plugin, options: {} };
  const { options, ...rest } = merged;
  const checked = plugin.params.safeParse(options);
  if (checked.success) return { plugin, options: isRecord(checked.data) ? checked.data : {}, ...rest };
  problems.push(...describePluginIssues(input, choice, plugin, options, checked.error.issues));
  return { plugin, options: {} };
}

const findOrReport = (
  input: ConfigInput,
  registry: PluginRegistry,
  { kind, path, chosen: { use } }: ChosenPlugin,
  problems: Problem[],
): ConfigurablePlugin | undefined =>
  report(joinPath([...path, 'use']), problems, (at) => findPlugin(registry, kind, use, locate(input, at)));

/** Runs a search; an error of it is added to the problems, so that it is reported with the others. */
function report<T>(at: string, problems: Problem[], find: (at: string) => T): T | undefined {
  try {
    return find(at);
  } catch (error) {
    if (!isAppError(error)) throw error;
    problems.push({ code: error.code, path: at, message: error.message, error });
    return undefined;
  }
}

type Issues = Parameters<typeof describeIssues>[4];

/** Like {@link describeIssues}; core keys next to `use` are also valid. */
function describePluginIssues(
  input: ConfigInput,
  choice: ChosenPlugin,
  plugin: ConfigurablePlugin,
  options: unknown,
  issues: Issues,
): Problem[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) {
      return describeIssues(input, choice.path, plugin.params, options, [issue]);
    }
    const properties = inputSchema(plugin.params)['properties'];
    const valid = [...Object.keys(isRecord(properties) ? properties : {}), ...choice.coreKeys];
    if (presetNames(plugin).length > 0) valid.push('preset');
    if (choice.path.length > 0) valid.push('use'); // standalone options have no `use`
    return issue.keys.map((key) => {
      const problem = unknownKey(input, joinPath([...choice.path, key]), key, valid);
      return { ...problem, message: `${problem.message} (options of ${plugin.kind} ${plugin.id})` };
    });
  });
}

/**
 * Resolves the model that a section names; on failure, adds problems to the list.
 *
 * @param chosen what was written, or what the schema made of it
 */
export function resolveModelChoice(
  input: ConfigInput,
  registry: PluginRegistry,
  chosen: unknown,
  problems: Problem[],
  at: readonly string[] = ['model'],
): ModelChoice | undefined {
  if (!isRecord(chosen)) return undefined;
  const { use, path, base, hub, revision = 'main' } = chosen;
  if (typeof use === 'string') {
    const choice = { kind: 'model' as const, path: at, chosen: { ...chosen, use }, coreKeys: [] };
    return { use, ...resolvePlugin(input, registry, choice, problems).options };
  }
  const valid = typeof path === 'string' ? ['path', 'base'] : ['hub', 'revision'];
  for (const key of Object.keys(chosen).filter((name) => !valid.includes(name)))
    problems.push(unknownKey(input, joinPath([...at, key]), key, valid));
  if (typeof path === 'string') {
    const itsBase = resolveModelChoice(input, registry, base, problems, [...at, 'base']);
    return itsBase === undefined ? { path } : { path, base: itsBase };
  }
  return typeof hub === 'string' && typeof revision === 'string' ? { hub, revision } : undefined;
}

/**
 * Validates standalone options of one plugin, e.g. `--params` of a command.
 *
 * @param label names their origin in messages
 * @returns the complete options
 * @throws plugin.not_found, config.unknown_key, config.wrong_type
 */
export function resolvePluginOptions(
  registry: PluginRegistry,
  kind: PluginKind,
  id: string,
  options: Readonly<Record<string, unknown>>,
  label: string,
): Readonly<Record<string, unknown>> {
  const input: ConfigInput = { file: label, value: options, origins: new Map(), positions: new Map() };
  const problems: Problem[] = [];
  const choice: ChosenPlugin = { kind, path: [], chosen: { ...options, use: id }, coreKeys: [] };
  const resolved = resolvePlugin(input, registry, choice, problems);
  throwProblems(problems);
  return resolved.options;
}

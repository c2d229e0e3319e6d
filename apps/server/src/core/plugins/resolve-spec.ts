/** @file Resolves a spec and checks it against plugins and model. Runs in the catalogue process. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { applyOverrides, findPlugin, type ModelLimits, parseConfig, resolveRunSpec } from '@espalier/config';
import { readModelLimits } from '@espalier/config/model-limits';
import { AppError, type RunSpec } from '@espalier/contracts';
import { listEnvironments } from '@espalier/contracts/mixing';
import type { ModelChoice } from '@espalier/contracts/model-choice';
import type { PluginRegistry } from '@espalier/plugin-host';
import { isBelowModelRoot } from '@espalier/files';
import type { PluginVersion } from '@espalier/protocol';
import type { ResolvedSpec, SpecRequest, SpecWarning } from './catalogue-messages.js';

/** The limit of a configuration file. */
const maxBytes = 64 * 1024;
const maxOverrides = 200;

/**
 * Resolves a spec.
 *
 * @param hashOf returns the sha256 of a plugin's package
 * @throws every error of bad input
 */
export function resolveSpec(
  request: SpecRequest,
  registry: PluginRegistry,
  hashOf: (folder: string) => string,
): ResolvedSpec {
  const { source, overrides } = request;
  validateSize(source, overrides);
  const input = applyOverrides(parseConfig(source, 'spec'), overrides);
  validateNoPlugins(input.value['plugins']);
  let warnings: readonly SpecWarning[] = [];
  const { spec, derived, hash, sources, inert } = resolveRunSpec(input, registry, (model) => {
    const found = factsOf(model, registry, request);
    warnings = found.warnings;
    return found;
  });
  validateNoPrograms(spec, registry);
  return {
    spec: { ...spec },
    derived,
    hash,
    sources: Object.fromEntries(sources),
    inert,
    warnings,
    plugins: pluginsOf(spec, registry, hashOf),
  };
}

/** The code that a server's workers run is chosen by who installs it, not by who writes a spec. */
function validateNoPlugins(plugins: unknown): void {
  if (plugins === undefined || (Array.isArray(plugins) && plugins.length === 0)) return;
  throw new AppError(
    'plugin.not_allowed',
    'spec: plugins names folders of plugins, which a server does not load; leave it out (--set plugins=[]), and have the packages installed on the server and its workers, in config/plugins.yaml',
  );
}

/** Neither are the programs that its workers start, and the ports that they open. */
function validateNoPrograms(spec: RunSpec, registry: PluginRegistry): void {
  const found = listEnvironments(spec).find(
    ({ spec: own }) => registry.get('environment', own.environment.use).agent !== undefined,
  );
  if (found === undefined) return;
  throw new AppError(
    'plugin.not_allowed',
    `spec: ${found.path} is ${found.spec.environment.use}: the training process starts a program of yours or opens a port for it, and no worker does that for a spec, which anyone may write who can create runs; train it on a machine of yours (\`espalier train\`), and show the run here with \`espalier run import FOLDER\``,
    { details: { path: found.path, environment: found.spec.environment.use } },
  );
}

function validateSize(source: string, overrides: readonly string[]): void {
  const bytes = Buffer.byteLength(source);
  if (bytes > maxBytes)
    throw new AppError('config.unreadable', `spec: ${bytes} bytes; at most ${maxBytes} are read`);
  if (overrides.length > maxOverrides)
    throw new AppError(
      'config.unreadable',
      `overrides: ${overrides.length} of them; at most ${maxOverrides} are applied, put the rest into the spec`,
    );
}

/** A model folder is on the worker's machine; it is read if the server has it, too. A worker downloads from a hub. */
function factsOf(
  model: ModelChoice,
  registry: PluginRegistry,
  { models, showsRoots, isFork }: Pick<SpecRequest, 'models' | 'showsRoots' | 'isFork'>,
): { readonly limits: ModelLimits | undefined; readonly warnings: readonly SpecWarning[] } {
  if ('use' in model) {
    const { use, ...options } = model;
    findPlugin(registry, 'model', use, 'model.use');
    return { limits: readModelLimits(registry.get('model', use).folder(options)).limits, warnings: [] };
  }
  if ('hub' in model) return { limits: undefined, warnings: [] };
  const { path, base } = model;
  // the worker opens it as well
  if (base !== undefined) factsOf(base, registry, { models, showsRoots, isFork });
  if (!isBelowModelRoot(path, models)) {
    if (isFork) return { limits: undefined, warnings: [] };
    throw notAllowed(path, showsRoots ? models.roots : undefined);
  }
  for (const folder of [path, join(path, 'policy')])
    if (existsSync(join(folder, 'config.json')))
      return { limits: readModelLimits(folder).limits, warnings: [] };
  const finding = existsSync(path) ? 'has no config.json' : "does not lie on the server's machine";
  const message = `model "${path}" ${finding}, so nothing was checked against it; it must lie there on every worker that may get the run, else the run fails`;
  return { limits: undefined, warnings: [{ code: 'model.not_found', message }] };
}

/** @param roots named to admins only */
function notAllowed(path: string, roots: readonly string[] | undefined): AppError {
  const listed = roots === undefined ? '' : ` (now: ${roots.join(', ') || 'none'})`;
  return new AppError(
    'model.not_allowed',
    `model.path "${path}": no model root of this server has it; name a model plugin, fork the run whose checkpoint you want, or ask an admin to add its folder to the setting modelRoots${listed} of the server and of the workers`,
    { details: { setting: 'modelRoots' } },
  );
}

function pluginsOf(
  spec: RunSpec,
  registry: PluginRegistry,
  hashOf: (folder: string) => string,
): PluginVersion[] {
  const environments = listEnvironments(spec).map((one) => one.spec);
  const used: (readonly ['environment' | 'algorithm' | 'reward' | 'model', string])[] = [
    ...environments.map(({ environment }) => ['environment', environment.use] as const),
    ['algorithm', spec.algorithm.use],
    ...environments.flatMap(({ rewards }) => rewards.map(({ use }) => ['reward', use] as const)),
    ...('use' in spec.model ? [['model', spec.model.use] as const] : []),
  ];
  const isFirst = ([kind, id]: (typeof used)[number], at: number): boolean =>
    used.findIndex((one) => one[0] === kind && one[1] === id) === at;
  return used.filter(isFirst).map(([kind, id]) => {
    const { version, folder } = registry.source(kind, id);
    return { kind, id, version, sha256: hashOf(folder) };
  });
}

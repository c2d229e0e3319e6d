/**
 * @file Applies the isolation that a run's spec asks for to its plugins.
 */
import { AppError } from '@espalier/contracts';
import type { DefinitionKinds } from '@espalier/plugin-kit';
import type { AnyDefinition, PluginKind, PluginSource } from '../plugin-types.js';
import { guardDefinition } from '../guard-definition.js';
import { loadPackage } from '../load-package.js';
import type { PluginRegistry } from '../registry.js';
import { validateExport } from '../validate.js';
import { buildIsolated, defaultCallTimeoutMs, isIsolatable } from './isolated-definitions.js';
import type { DescribedPackage, Isolation } from './protocol.js';
import { openPackage, type PackageLink } from './package-link.js';

/** The requested isolation of one plugin of a run. */
export interface IsolationChoice {
  readonly kind: 'environment' | 'reward';
  readonly id: string;
  readonly isolation: Isolation;
  /** timeout of one call; only with `process` */
  readonly callTimeoutMs?: number | undefined;
}

/** A registry that owns plugin processes. */
export interface IsolatedPlugins extends PluginRegistry {
  dispose(): Promise<void>;
}

/** A package in its own process, and what it defines. */
export interface IsolatedPackage {
  readonly link: PackageLink;
  readonly described: DescribedPackage;
}

/** Opens a package and requests its definitions. @throws what loading it throws */
export async function openIsolatedPackage(folder: string): Promise<IsolatedPackage> {
  const link = openPackage(folder);
  try {
    return {
      link,
      described: (await link.request({ op: 'describe' }, defaultCallTimeoutMs)) as DescribedPackage,
    };
  } catch (error) {
    await link.dispose();
    throw error;
  }
}

/**
 * Opens the plugins of a run with the requested isolation; all others stay as in the registry.
 *
 * @throws plugin.not_found, plugin.unreadable, and what loading a package throws
 */
export async function isolatePlugins(
  registry: PluginRegistry,
  choices: readonly IsolationChoice[],
): Promise<IsolatedPlugins> {
  const opened = new Map<string, IsolatedPackage>();
  const replaced = new Map<string, { readonly definition: AnyDefinition; readonly isolation: Isolation }>();
  const dispose = async (): Promise<void> => {
    await Promise.all([...opened.values()].map(({ link }) => link.dispose()));
  };
  try {
    for (const choice of choices) {
      const { kind, id, isolation } = choice;
      const source = registry.source(kind, id);
      if (isolation === 'none' && registry.isolation(kind, id) === 'none') continue;
      const definition =
        isolation === 'none'
          ? await loadInProcess(source, kind, id)
          : await loadInOwnProcess(source, choice, opened);
      replaced.set(`${kind} ${id}`, { definition, isolation });
    }
  } catch (error) {
    await dispose();
    throw error;
  }
  const find = (kind: PluginKind, id: string) => replaced.get(`${kind} ${id}`);
  return {
    ...registry,
    list: () => registry.list().map((known) => find(known.kind, known.id)?.definition ?? known),
    get: <Kind extends PluginKind>(kind: Kind, id: string) =>
      (find(kind, id)?.definition ?? registry.get(kind, id)) as DefinitionKinds[Kind],
    isolation: (kind, id) => find(kind, id)?.isolation ?? registry.isolation(kind, id),
    dispose,
  };
}

async function loadInProcess(source: PluginSource, kind: string, id: string): Promise<AnyDefinition> {
  const { exported } = await loadPackage(source.folder);
  const found = validateExport(exported, source).find((known) => known.kind === kind && known.id === id);
  if (found === undefined) throw noLongerDefined(source, kind, id);
  return guardDefinition(found);
}

async function loadInOwnProcess(
  { folder, ...source }: PluginSource,
  { kind, id, callTimeoutMs = defaultCallTimeoutMs }: IsolationChoice,
  opened: Map<string, IsolatedPackage>,
): Promise<AnyDefinition> {
  const known = opened.get(folder) ?? (await openIsolatedPackage(folder));
  opened.set(folder, known);
  const found = known.described.definitions.find(
    (definition) => definition.kind === kind && definition.id === id,
  );
  if (found === undefined || !isIsolatable(found.kind))
    throw noLongerDefined({ folder, ...source }, kind, id);
  return buildIsolated(known.link, found, callTimeoutMs);
}

function noLongerDefined({ package: name, folder }: PluginSource, kind: string, id: string): AppError {
  return new AppError(
    'plugin.not_found',
    `open ${kind} "${id}": package "${name}" (${folder}) no longer defines it; restart to reload plugins`,
  );
}

/**
 * @file The installed plugins by kind and id.
 */
import type { DefinitionKinds } from '@espalier/plugin-kit';
import { AppError } from '@espalier/contracts';
import { paramsJsonSchema } from '@espalier/plugin-kit';
import type { AnyDefinition, PluginKind, PluginSource } from './definition-kinds.js';
import type { Isolation } from './isolation/messages.js';
import { nearest } from './nearest.js';

export interface InstalledPlugin {
  readonly definition: AnyDefinition;
  readonly source: PluginSource;
  /** where it runs; default: `none` */
  readonly isolation?: Isolation;
}

/** Answers what is installed. */
export interface PluginRegistry {
  /** All definitions, by kind and id. */
  list(): readonly AnyDefinition[];
  /** @throws plugin.not_found naming the nearest id and what is installed */
  get<Kind extends PluginKind>(kind: Kind, id: string): DefinitionKinds[Kind];
  /** Package, version and folder a definition comes from. */
  source(kind: PluginKind, id: string): PluginSource;
  /** Where a definition runs unless a run says otherwise. */
  isolation(kind: PluginKind, id: string): Isolation;
  /** JSON Schema of a definition's options as a person writes them. */
  schema(kind: PluginKind, id: string): Record<string, unknown>;
}

/**
 * Builds the registry of installed plugins.
 *
 * @throws plugin.duplicate_id when two definitions of one kind share an id
 */
export function createRegistry(installed: readonly InstalledPlugin[]): PluginRegistry {
  const byKey = new Map<string, InstalledPlugin>();
  for (const plugin of installed) {
    const { kind, id } = plugin.definition;
    const other = byKey.get(`${kind} ${id}`);
    if (other !== undefined) throw duplicate(kind, id, other.source, plugin.source);
    byKey.set(`${kind} ${id}`, plugin);
  }
  const sorted = [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, plugin]) => plugin);
  const find = (kind: PluginKind, id: string): InstalledPlugin => {
    const found = byKey.get(`${kind} ${id}`);
    if (found === undefined) throw notFound(kind, id, sorted);
    return found;
  };
  return {
    list: () => sorted.map(({ definition }) => definition),
    get: <Kind extends PluginKind>(kind: Kind, id: string) =>
      find(kind, id).definition as DefinitionKinds[Kind],
    source: (kind, id) => find(kind, id).source,
    isolation: (kind, id) => find(kind, id).isolation ?? 'none',
    schema: (kind, id) => paramsJsonSchema(find(kind, id).definition),
  };
}

function duplicate(kind: string, id: string, one: PluginSource, other: PluginSource): AppError {
  return new AppError(
    'plugin.duplicate_id',
    `load plugins: ${kind} "${id}" is defined by "${one.package}" (${one.folder}) and by "${other.package}" (${other.folder}); rename one, or remove its package`,
    { details: { kind, id, folders: [one.folder, other.folder] } },
  );
}

function notFound(kind: PluginKind, id: string, installed: readonly InstalledPlugin[]): AppError {
  const ids = installed
    .filter(({ definition }) => definition.kind === kind)
    .map(({ definition }) => definition.id);
  const near = nearest(id, ids);
  const hint = near === undefined ? '' : `did you mean "${near}"? `;
  return new AppError(
    'plugin.not_found',
    `find ${kind} "${id}": it is not installed; ${hint}installed: ${ids.join(', ') || 'none'}`,
    { details: { kind, id, nearest: near, installed: ids } },
  );
}

/**
 * @file The installed plugins by kind and id.
 */
import type { DefinitionKinds } from '@espalier/plugin-kit';
import { AppError } from '@espalier/contracts';
import { nearestKey } from '@espalier/contracts/nearest-key';
import { paramsJsonSchema } from '@espalier/plugin-kit';
import type { Isolation } from './isolation/protocol.js';
import type {
  AnyDefinition,
  BrokenPlugin,
  PluginKind,
  PluginOrigin,
  PluginSource,
  PluginStatus,
} from './plugin-types.js';

export interface InstalledPlugin {
  readonly definition: AnyDefinition;
  readonly source: PluginSource;
  /** where it runs; default: `none` */
  readonly isolation?: Isolation;
  /** default: `folder` */
  readonly origin?: PluginOrigin;
}

/** The installed plugins. */
export interface PluginRegistry {
  /** All usable definitions, sorted by kind and id. */
  list(): readonly AnyDefinition[];
  /** The plugins that were found but cannot be used. */
  broken(): readonly BrokenPlugin[];
  /** Every plugin with its source and health: usable ones first, sorted by kind and id. */
  inventory(): readonly PluginStatus[];
  /** The error of a broken plugin; undefined when none was found under this kind and id. */
  failure(kind: PluginKind, id: string): AppError | undefined;
  /** @throws the error of a broken plugin, else plugin.not_found with the nearest id and all installed ones */
  get<Kind extends PluginKind>(kind: Kind, id: string): DefinitionKinds[Kind];
  /** Package, version and folder a definition comes from. */
  source(kind: PluginKind, id: string): PluginSource;
  /** Where a definition runs unless a run overrides it. */
  isolation(kind: PluginKind, id: string): Isolation;
  /** JSON Schema of a definition's options, before defaults are filled in. */
  schema(kind: PluginKind, id: string): Record<string, unknown>;
}

/**
 * Builds the registry of installed plugins. Definitions of one kind that share an id are all broken: the order of folders
 * must not decide which one is used.
 *
 * @param unusable packages that were found but could not be loaded
 */
export function createRegistry(
  installed: readonly InstalledPlugin[],
  unusable: readonly BrokenPlugin[] = [],
): PluginRegistry {
  const byKey = new Map<string, InstalledPlugin[]>();
  for (const plugin of installed) byKey.set(keyOf(plugin), [...(byKey.get(keyOf(plugin)) ?? []), plugin]);
  const keys = [...byKey.keys()].sort();
  const sharing = (key: string): InstalledPlugin[] => byKey.get(key) ?? [];
  const sorted = keys.flatMap((key) => (sharing(key).length === 1 ? sharing(key) : []));
  const broken = [
    ...unusable,
    ...keys.flatMap((key) => (sharing(key).length > 1 ? describeDuplicates(sharing(key)) : [])),
  ];
  const failure = (kind: PluginKind, id: string): AppError | undefined =>
    broken.find((plugin) => plugin.kind === kind && plugin.id === id)?.error;
  const find = (kind: PluginKind, id: string): InstalledPlugin => {
    const found = sorted.find(({ definition }) => definition.kind === kind && definition.id === id);
    if (found === undefined) throw failure(kind, id) ?? notFound(kind, id, sorted, broken);
    return found;
  };
  return {
    list: () => sorted.map(({ definition }) => definition),
    broken: () => broken,
    inventory: () => [...sorted.map(describeUsable), ...broken.map(describeUnusable)],
    // one that is there is not broken, even where a folder of that name is
    failure: (kind, id) =>
      sorted.some(({ definition }) => definition.kind === kind && definition.id === id)
        ? undefined
        : failure(kind, id),
    get: <Kind extends PluginKind>(kind: Kind, id: string) =>
      find(kind, id).definition as DefinitionKinds[Kind],
    source: (kind, id) => find(kind, id).source,
    isolation: (kind, id) => find(kind, id).isolation ?? 'none',
    schema: (kind, id) => paramsJsonSchema(find(kind, id).definition),
  };
}

const keyOf = ({ definition }: InstalledPlugin): string => `${definition.kind} ${definition.id}`;

function describeUsable({ definition, source, isolation, origin }: InstalledPlugin): PluginStatus {
  const { kind, id, summary } = definition;
  const place = { ...source, origin: origin ?? 'folder', isolation: isolation ?? 'none' };
  return { kind, id, ...place, health: 'ok', summary };
}

function describeUnusable({ error, ...found }: BrokenPlugin): PluginStatus {
  return { ...found, health: 'broken', message: error.message };
}

function describeDuplicates(sharing: readonly InstalledPlugin[]): BrokenPlugin[] {
  return sharing.map(({ definition: { kind, id }, source, origin }, index) => {
    const other = sharing[index === 0 ? 1 : 0] as InstalledPlugin;
    return {
      kind,
      id,
      ...source,
      origin: origin ?? 'folder',
      error: duplicate(kind, id, source, other.source),
    };
  });
}

function duplicate(kind: string, id: string, one: PluginSource, other: PluginSource): AppError {
  return new AppError(
    'plugin.duplicate_id',
    `load plugins: ${kind} "${id}" is defined by "${one.package}" (${one.folder}) and by "${other.package}" (${other.folder}); rename one, or remove its package`,
    { details: { kind, id, folders: [one.folder, other.folder] } },
  );
}

function notFound(
  kind: PluginKind,
  id: string,
  installed: readonly InstalledPlugin[],
  broken: readonly BrokenPlugin[],
): AppError {
  const ids = installed
    .filter(({ definition }) => definition.kind === kind)
    .map(({ definition }) => definition.id);
  const names = broken.map((plugin) => plugin.package).join(', ');
  const left = names === '' ? '' : `; broken and left out: ${names}`;
  const near = nearestKey(id, ids);
  const hint = near === undefined ? '' : `did you mean "${near}"? `;
  return new AppError(
    'plugin.not_found',
    `find ${kind} "${id}": it is not installed; ${hint}installed: ${ids.join(', ') || 'none'}${left}`,
    { details: { kind, id, nearest: near, installed: ids } },
  );
}

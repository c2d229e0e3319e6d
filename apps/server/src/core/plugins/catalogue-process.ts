/**
 * @file The program of the catalogue process: the only part of the control plane that imports plugin code. It loads the
 * plugins once; a changed plugin is loaded by the next process.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generateRunSpecSchema } from '@espalier/config';
import { isAppError } from '@espalier/contracts';
import { discoverPlugins, hashPackage, type PluginRegistry } from '@espalier/plugin-host';
import type {
  CataloguedPlugin,
  CatalogueRequest,
  FromCatalogue,
  ToCatalogue,
  SerializedError,
} from './catalogue-messages.js';
import { resolveSpec } from './resolve-spec.js';

const root = resolve(process.argv[2] ?? '.');
const write = process.send?.bind(process);
/** Ignores a closed channel: the server may stop while plugins load. */
const send = (message: FromCatalogue): void => void write?.(message, undefined, undefined, () => undefined);
const exit = process.exit.bind(process);
// plugins must not use the channel
Object.assign(process, { send: undefined });
process.on('disconnect', () => exit(0));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

try {
  const registry = await discoverPlugins({
    root,
    configFile: join(root, 'config/plugins.yaml'),
    withBuiltIn: true,
  });
  const hashes = new Map<string, string>();
  const hashOf = (folder: string): string => {
    const known = hashes.get(folder) ?? hashPackage(folder);
    hashes.set(folder, known);
    return known;
  };
  const listed = listPlugins(registry, hashOf);
  process.on('message', ({ id, request }: ToCatalogue) => {
    void respond(request, registry, listed, hashOf)
      .then((value) => send({ id, value }))
      .catch((error: unknown) => send({ id, error: serializeError(error) }));
  });
  send({ isReady: true });
} catch (error) {
  send({ cannotStart: serializeError(error) });
  process.exitCode = 1;
  process.disconnect();
}

async function respond(
  request: CatalogueRequest,
  registry: PluginRegistry,
  listed: readonly CataloguedPlugin[],
  hashOf: (folder: string) => string,
): Promise<unknown> {
  if (request.op === 'list') return listed;
  if (request.op === 'schema') return generateRunSpecSchema(registry);
  // loaded when somebody plays: the catalogue must be there at once
  if (request.op === 'play') return (await import('./play-turn.js')).playTurn(request.play, registry);
  return resolveSpec(request.spec, registry, hashOf);
}

/** Hashes are computed at load time, so that they match the loaded code. */
function listPlugins(registry: PluginRegistry, hashOf: (folder: string) => string): CataloguedPlugin[] {
  return registry.inventory().map((found) => {
    const { kind, id, package: name, version, folder, origin, health, message, summary, isolation } = found;
    const isUsable = health === 'ok' && kind !== undefined && id !== undefined;
    return {
      kind: kind ?? '',
      id: id ?? '',
      package: name,
      version: version ?? '',
      folder: folder ?? '',
      source: origin,
      isolation: isolation ?? 'none',
      summary: summary ?? '',
      health,
      message: message ?? '',
      schema: isUsable ? registry.schema(kind, id) : null,
      sha256: folder === undefined || !existsSync(folder) ? '' : hashOf(folder),
    };
  });
}

function serializeError(error: unknown): SerializedError {
  if (isAppError(error)) {
    const { code, message, details } = error;
    return { code, message, details: JSON.parse(JSON.stringify(details)) as Record<string, unknown> };
  }
  return { code: null, message: error instanceof Error ? error.message : String(error), details: {} };
}

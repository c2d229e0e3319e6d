/**
 * @file Loads the default export of a package in a folder. The only dynamic import of Espalier. When it runs from
 * source, as in tests, it also loads the sources of packages that export them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '@espalier/contracts';
import type { PluginSource } from './plugin-types.js';
import { provideKit } from './provide-kit.js';

const conditions = new Set([
  ...(import.meta.url.endsWith('.ts') ? ['espalier-source'] : []),
  'node',
  'import',
  'module-sync',
  'default',
]);

interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly exports?: unknown;
  readonly main?: string;
}

export interface LoadedPackage {
  readonly source: PluginSource;
  /** the default export, unwrapped; undefined when there is none */
  readonly exported: unknown;
}

/** Loads the package in a folder that has a package.json. */
export async function loadPackage(folder: string): Promise<LoadedPackage> {
  const manifest = readManifest(folder);
  const source = { package: manifest.name ?? folder, version: manifest.version ?? '0.0.0', folder };
  const entry = join(folder, entryOf(manifest));
  if (!existsSync(entry)) {
    throw new AppError(
      'plugin.unreadable',
      `load plugin package "${source.package}": ${relative(folder, entry)} does not exist in ${folder}; build it first (npm run build)`,
      { details: { ...source } },
    );
  }
  provideKit(entry);
  try {
    const module = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as Record<string, unknown>;
    return { source, exported: unwrap(module) };
  } catch (cause) {
    const finding = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      'plugin.unreadable',
      `load plugin package "${source.package}": ${relative(folder, entry)} throws on import: ${finding}; import it alone to see where`,
      { details: { ...source }, cause },
    );
  }
}

function readManifest(folder: string): PackageJson {
  const path = join(folder, 'package.json');
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof manifest !== 'object' || manifest === null) throw new TypeError('it is not an object');
    return manifest;
  } catch (cause) {
    throw new AppError('plugin.unreadable', `load plugin: ${path} is not valid JSON; fix it`, {
      cause,
    });
  }
}

function entryOf({ exports, main }: PackageJson): string {
  const entry = typeof exports === 'object' && exports !== null && '.' in exports ? exports['.'] : exports;
  return resolveCondition(entry) ?? main ?? 'index.js';
}

function resolveCondition(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    if (!conditions.has(condition)) continue;
    const found = resolveCondition(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A CommonJS package compiled from `export default` has its default export one level deeper. */
function unwrap(module: Record<string, unknown>): unknown {
  const exported = module['default'];
  const isWrapped =
    typeof exported === 'object' && exported !== null && 'default' in exported && !('kind' in exported);
  return isWrapped ? exported.default : exported;
}

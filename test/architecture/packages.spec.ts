import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kitVersion } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { importsOf, root, sourceFiles } from './source-files.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license: string;
  readonly description?: string;
  readonly files?: readonly string[];
  readonly workspaces: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** Folders of all packages, relative to the root. */
const folders = readManifest('.')
  .workspaces.flatMap((pattern) =>
    pattern
      .split('/')
      .reduce<string[]>(
        (parents, part) =>
          part === '*'
            ? parents.flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
            : parents.map((parent) => (parent === '' ? part : `${parent}/${part}`)),
        [''],
      ),
  )
  .filter((folder) => existsSync(join(root, folder, 'package.json')));
const packages = folders.map((folder) => ({ folder, manifest: readManifest(folder) }));
const published = packages.filter(({ manifest }) => manifest.private !== true);

describe('packages', () => {
  it('share one version, which is that of the kit, and depend on each other by it', () => {
    const { version } = readManifest('.');
    expect(kitVersion).toBe(version);
    expect(packages.filter(({ manifest }) => manifest.version !== version)).toEqual([]);
    const others = packages.flatMap(({ manifest }) =>
      Object.entries(manifest.dependencies ?? {})
        .filter(([name, range]) => name.startsWith('@espalier/') && range !== version)
        .map(([name]) => `${manifest.name}: ${name}`),
    );
    expect(others).toEqual([]);
  });

  it('are published with a description, a license and build output, and run no install script', () => {
    expect(published.map(({ manifest }) => manifest.name)).toEqual(
      expect.arrayContaining([
        'espalier',
        '@espalier/plugin-kit',
        '@espalier/client',
        '@espalier/model-sapling',
        '@espalier/model-seedling',
      ]),
    );
    for (const { manifest } of published) {
      expect([manifest.name, manifest.license, manifest.files?.[0]]).toEqual([manifest.name, 'MIT', 'dist']);
      expect([manifest.name, manifest.description]).toEqual([manifest.name, expect.stringMatching(/.{15,}/)]);
      expect(manifest.scripts).toBeUndefined();
    }
    const needed = published.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}));
    const unpublished = packages.filter(({ manifest }) => manifest.private === true);
    expect(unpublished.filter(({ manifest }) => needed.includes(manifest.name))).toEqual([]);
  });

  it('declare every package that they import', () => {
    const files = sourceFiles().filter(
      ({ path }) => !path.endsWith('.spec.ts') && !/\/src\/testing\//.test(path),
    );
    const missing = published.flatMap(({ folder, manifest }) => {
      // what a page imports is built into it
      const bundled = existsSync(join(root, folder, 'vite.config.ts')) ? manifest.devDependencies : {};
      const declared = {
        ...manifest.dependencies,
        ...manifest.optionalDependencies,
        ...manifest.peerDependencies,
        ...bundled,
      };
      return files
        .filter(({ path }) => path.startsWith(`${folder}/src/`))
        .flatMap(({ path, text }) => importsOf(text).map((imported) => ({ path, imported })))
        .filter(({ imported }) => /^(@[a-z]|[a-z])/.test(imported) && !imported.startsWith('node:'))
        .map(({ path, imported }) => ({
          path,
          name: imported.split('/', imported.startsWith('@') ? 2 : 1).join('/'),
        }))
        .filter(({ name }) => name !== manifest.name && !(name in declared))
        .map(({ path, name }) => `${path}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('are built after every package that they import: a fresh clone has no build output to go by', () => {
    const files = sourceFiles().filter(({ path }) => !path.endsWith('.spec.ts'));
    const folderOf = new Map(packages.map(({ folder, manifest }) => [manifest.name, folder]));
    const missing = folders
      // Vite builds the page, last
      .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
      .filter((folder) => !existsSync(join(root, folder, 'vite.config.ts')))
      .flatMap((folder) => {
        const { references = [] } = JSON.parse(readFileSync(join(root, folder, 'tsconfig.json'), 'utf8')) as {
          readonly references?: readonly { readonly path: string }[];
        };
        const earlier = references.map(({ path }) => join(folder, path));
        return files
          .filter(({ path }) => path.startsWith(`${folder}/src/`))
          .flatMap(({ path, text }) =>
            importsOf(text).map((imported) => ({ path, name: imported.split('/', 2).join('/') })),
          )
          .map(({ path, name }) => ({ path, needed: folderOf.get(name) }))
          .filter(({ needed }) => needed !== undefined && needed !== folder && !earlier.includes(needed))
          .map(({ path, needed }) => `${path}: ${needed}`);
      });
    expect(missing).toEqual([]);
  });
});

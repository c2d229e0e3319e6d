/** @file Writes the package of a new plugin: whole, or not at all. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createRemovableFolder, describeObstacle } from '@espalier/files';
import { findKitTarballs } from './kit-tarballs.js';
import { describePackage } from './package-files.js';
import { readTemplate } from './read-template.js';

export const pluginKinds = ['environment', 'reward', 'algorithm', 'model'] as const;
export type PluginKind = (typeof pluginKinds)[number];

export interface PluginRequest {
  readonly kind: PluginKind;
  /** lower-case words joined by dashes */
  readonly id: string;
  /** missing or empty; default `espalier-<kind>-<id>` in the present folder */
  readonly folder?: string | undefined;
  /** a tarball of the kit, or a folder of the tarballs of `npm run pack`, where the kit is not in a registry */
  readonly kit?: string | undefined;
}

/**
 * Writes a plugin that works as it is.
 *
 * @returns its folder, as given
 * @throws cli.usage, cli.unusable_folder
 */
export function createPlugin({ kind, id, folder = `espalier-${kind}-${id}`, kit }: PluginRequest): string {
  if (!pluginKinds.includes(kind))
    throw new AppError(
      'cli.usage',
      `create plugin "${id}": unknown kind "${kind}"; expected ${pluginKinds.join(', ')}`,
    );
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id) || id.length > 100)
    throw new AppError(
      'cli.usage',
      `create ${kind} "${id}": expected lower-case words joined by dashes, such as my-game, at most 100 characters`,
    );
  requireEmpty(folder);
  const tarballs = kit === undefined ? {} : findKitTarballs(kit);
  const files = { ...describePackage(kind, id, tarballs), ...readTemplate(kind, id) };
  publish(folder, files);
  return folder;
}

function requireEmpty(folder: string): void {
  let entries: string[] = [];
  try {
    if (existsSync(folder)) entries = readdirSync(folder);
  } catch (cause) {
    throw unusable(folder, describeObstacle(cause), cause);
  }
  if (entries.length > 0) throw unusable(folder, 'it is not empty');
}

/** Writes into a folder beside the target, which then takes its place. */
function publish(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  const target = resolve(folder);
  const staged = join(dirname(target), `.${basename(target)}.${process.pid}.partial`);
  let removeParents = (): void => undefined;
  let isStaged = false;
  try {
    removeParents = createRemovableFolder(dirname(target));
    mkdirSync(staged);
    isStaged = true;
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(staged, name)), { recursive: true });
      writeFileSync(join(staged, name), content);
    }
    if (existsSync(target)) rmdirSync(target);
    renameSync(staged, target);
  } catch (cause) {
    if (isStaged) rmSync(staged, { recursive: true });
    removeParents();
    throw unusable(folder, describeObstacle(cause), cause);
  }
}

const unusable = (folder: string, finding: string, cause?: unknown): AppError =>
  new AppError(
    'cli.unusable_folder',
    `write plugin to ${folder}: ${finding}; choose another folder with --out`,
    {
      cause,
    },
  );

/** The commands after which the tests of a new plugin have passed. */
export function describeNextSteps(folder: string, kit: string | undefined): string[] {
  const steps = [`  cd ${folder}`, '  npm install', '  npm test'];
  if (kit !== undefined) return steps;
  return [
    ...steps,
    'npm install takes @espalier/plugin-kit from the registry. Where it is not published, run `npm run pack` in a clone of',
    'Espalier, and create the plugin with --kit <clone>/.cache/packages.',
  ];
}

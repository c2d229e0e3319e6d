import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Workspace {
  readonly folder: string;
  remove(): void;
}

/** Creates a workspace with the hostile plugins as a third-party package, optionally with those of this repository. */
export function createHostileWorkspace({ withOwn = false } = {}): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-hostile-'));
  mkdirSync(join(folder, 'config'));
  mkdirSync(join(folder, 'node_modules'));
  if (withOwn) symlinkSync(join(root, 'plugins'), join(folder, 'plugins'), 'dir');
  const fixture = join(root, 'test', 'fixtures', 'hostile-plugins');
  symlinkSync(fixture, join(folder, 'node_modules', 'espalier-hostile-plugins'), 'dir');
  writeFileSync(join(folder, 'config', 'plugins.yaml'), 'packages: [espalier-hostile-plugins]\n');
  return { folder, remove: () => removeFolder(folder) };
}

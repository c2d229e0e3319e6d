/** @file A workspace with the plugins of this repository, an environment that tests rewrite, and a broken one. */
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface PluginWorkspace {
  readonly folder: string;
  /** Writes the environment `coin`. @param limits source of its hook `limits` */
  writeCoin(version: string, options: string, limits?: string): void;
  remove(): void;
}

export function createPluginWorkspace(): PluginWorkspace {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-plugins-'));
  const environments = join(folder, 'plugins', 'environments');
  mkdirSync(environments, { recursive: true });
  mkdirSync(join(folder, 'config'));
  for (const kind of ['algorithms', 'models', 'rewards'])
    symlinkSync(join(root, 'plugins', kind), join(folder, 'plugins', kind), 'dir');
  symlinkSync(join(root, 'plugins/environments/bandit'), join(environments, 'bandit'), 'dir');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  writePackage(join(environments, 'crooked'), '0.0.1', 'throw new Error("bent");\n');
  const one = '() => ({ maxTurns: 1, maxActions: 1, maxActionsPerTurn: 1 })';
  return {
    folder,
    writeCoin(version, options, limits = one) {
      writePackage(join(environments, 'coin'), version, coinSource(options, limits));
    },
    remove: () => removeFolder(folder),
  };
}

function writePackage(folder: string, version: string, source: string): void {
  mkdirSync(folder, { recursive: true });
  const exported = { type: 'module', exports: './index.js' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'test-coin', version, ...exported }));
  writeFileSync(join(folder, 'index.js'), source);
}

const coinSource = (options: string, limits: string): string => `
import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { removeFolder } from '@espalier/testing';
export default defineEnvironment({
  id: 'coin',
  summary: 'Heads or tails.',
  params: z.strictObject({ ${options} }),
  instruction: () => '',
  limits: ${limits},
  create: () => { throw new Error('never played here'); },
});
`;

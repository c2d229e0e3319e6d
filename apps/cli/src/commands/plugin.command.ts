import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPackage } from '@espalier/files';
import { AppError } from '@espalier/contracts';
import { kitVersion } from '@espalier/plugin-kit';
import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { calledAs } from '../parse-arguments.js';
import { pluginFiles } from '../local/plugin-files.js';
import { findForPlugin } from '../local/plugin-test-config.js';

/** Adds `espalier plugin new` and `espalier plugin test`. */
export function addPluginCommand(program: Command, { console, finish }: CommandContext): void {
  const plugin = program.command('plugin').description('write a plugin of your own');
  plugin
    .command('new')
    .description('write the folder of a new plugin, which works as it is')
    .addArgument(new Argument('<kind>').choices(['environment', 'reward']))
    .argument('<id>', 'lower-case words joined by dashes')
    .option('--out <folder>', 'where (default: espalier-<kind>-<id>)')
    .addHelpText('after', examples(['plugin new environment guess', 'a folder to start from, with its test']))
    .action((kind: 'environment' | 'reward', id: string, { out }: { out?: string }) => {
      const folder = create(kind, id, out ?? `espalier-${kind}-${id}`);
      console.line(`${folder}: written. Next:`);
      console.line(`  cd ${folder} && ${calledAs()} plugin test`);
      console.line(`  name the folder in config/plugins.yaml of a workspace: packages: [${resolve(folder)}]`);
    });
  plugin
    .command('test')
    .description(
      'run the specs of a plugin; the kit, zod and vitest come from its folder, or else from this installation',
    )
    .argument('[folder]', 'folder of the plugin', '.')
    .addHelpText('after', examples(['plugin test', 'in the folder of the plugin']))
    .action((folder: string) => finish(test(folder)));
}

function create(kind: 'environment' | 'reward', id: string, folder: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id))
    throw new AppError('cli.usage', `plugin new ${id}: expected lower-case words joined by dashes`);
  if (existsSync(folder))
    throw new AppError(
      'cli.unusable_folder',
      `write plugin to ${folder}: it exists; choose another with --out`,
    );
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(pluginFiles(kind, id, kitVersion)))
    writeFileSync(join(folder, name), text);
  return folder;
}

function test(folder: string): number {
  if (!existsSync(join(folder, 'package.json')))
    throw new AppError('cli.usage', `test ${folder}: there is no package.json; name the folder of a plugin`);
  const cwd = realpathSync(folder);
  const vitest = findPackage('vitest', cwd) ?? findForPlugin('vitest', process.cwd());
  if (vitest === undefined)
    throw new AppError(
      'cli.usage',
      `test ${folder}: vitest is not installed; run npm install --save-dev vitest`,
    );
  const config = fileURLToPath(new URL('../local/plugin-test-config.js', import.meta.url));
  const words = [join(vitest, 'vitest.mjs'), 'run', '--config', config, '--root', cwd];
  return spawnSync(process.execPath, words, { cwd, stdio: 'inherit' }).status === 0 ? 0 : 5;
}

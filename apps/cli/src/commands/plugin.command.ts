import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { kitVersion } from '@espalier/plugin-kit';
import { type Command, Argument } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { calledAs } from '../parse-arguments.js';
import { pluginFiles } from '../plugin-files.js';
import { installationRoot } from '../workspace.js';

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
    .description('run the specs of a plugin, with the kit, zod and vitest of this installation')
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
  const root = installationRoot();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = join(root, 'vitest.plugin.config.ts');
  if (!existsSync(vitest) || !existsSync(config))
    throw new AppError('cli.usage', `test ${folder}: this installation has no vitest; run it from a clone`);
  if (!existsSync(join(folder, 'package.json')))
    throw new AppError('cli.usage', `test ${folder}: there is no package.json; name the folder of a plugin`);
  const words = [vitest, 'run', '--config', config, '--root', root, '--dir', resolve(folder)];
  return spawnSync(process.execPath, words, { stdio: 'inherit' }).status === 0 ? 0 : 5;
}

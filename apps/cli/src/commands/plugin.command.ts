import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import { askForPlugin, createPlugin, describeNextSteps, pluginKinds } from '@espalier/create-plugin';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { calledAs } from '../parse-arguments.js';
import { testPlugin } from '../local/test-plugin.js';
import { addPluginCheck } from './plugin-check.js';
import { addPluginDev } from './plugin-dev.js';

interface NewOptions {
  readonly out?: string;
  readonly kit?: string;
}

/** Adds the commands below `espalier plugin`. */
export function addPluginCommand(program: Command, context: CommandContext): void {
  const { console, finish } = context;
  const plugin = program.command('plugin').description('write a plugin of your own');
  plugin
    .command('new')
    .description('write the package of a new plugin, in TypeScript, which works as it is')
    .argument('[kind]', `${pluginKinds.join(', ')}; asked for on a terminal`)
    .argument('[id]', 'lower-case words joined by dashes')
    .option('--out <folder>', 'where (default: espalier-<kind>-<id>)')
    .option('--kit <folder>', 'tarballs of `npm run pack`, where the kit is not in a registry')
    .addHelpText(
      'after',
      examples(['plugin new environment guess', 'a package to start from, with its tests']),
    )
    .action(async (kind: string | undefined, id: string | undefined, { out, kit }: NewOptions) => {
      const from = kit ?? findPacked();
      const folder = createPlugin({ ...(await askForPlugin({ kind, id })), folder: out, kit: from });
      console.line(`${folder}: written. Next:`);
      for (const line of describeNextSteps(folder, from)) console.line(line);
      console.line(`  ${calledAs()} plugin test ${folder}   # the suite with this installation's kit`);
      console.line(`Then name it in config/plugins.yaml of a workspace: packages: [${resolve(folder)}]`);
    });
  plugin
    .command('test')
    .description(
      'run the specs of a plugin; the kit, zod and vitest come from its folder, or else from this installation',
    )
    .argument('[folder]', 'folder of the plugin', '.')
    .addHelpText('after', examples(['plugin test', 'in the folder of the plugin']))
    .action((folder: string) => finish(testPlugin(folder)));
  addPluginCheck(plugin, context);
  addPluginDev(plugin, context);
}

/** The tarballs that `npm run pack` made of this clone. */
function findPacked(): string | undefined {
  const { folder, isClone } = findInstallation();
  const packages = join(folder, '.cache', 'packages');
  return isClone && existsSync(packages) ? packages : undefined;
}

import type { Command } from 'commander';
import { z } from 'zod';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { loadRegistry } from '../workspace.js';

/** Adds `espalier plugins`. */
export function addPluginsCommand(program: Command, { console }: CommandContext): void {
  program
    .command('plugins')
    .description('list installed environments, rewards, algorithms and models')
    .option('--json', 'one JSON object per line, with the JSON Schema of the options')
    .addHelpText('after', examples(['plugins', 'what can stand behind `use:` in a configuration']))
    .action(async (options: { json?: boolean }) => {
      const registry = await loadRegistry();
      const plugins = [...registry.list()].sort((a, b) =>
        `${a.kind} ${a.id}` < `${b.kind} ${b.id}` ? -1 : 1,
      );
      let kind = '';
      for (const plugin of plugins) {
        const schema = z.toJSONSchema(plugin.params, { io: 'input', unrepresentable: 'any' });
        if (options.json === true) {
          console.line(
            JSON.stringify({ kind: plugin.kind, id: plugin.id, summary: plugin.summary, options: schema }),
          );
          continue;
        }
        if (plugin.kind !== kind)
          console.line(`${kind === '' ? '' : '\n'}${console.colors.bold(`${plugin.kind}s`)}`);
        kind = plugin.kind;
        console.line(`  ${plugin.id.padEnd(20)} ${plugin.summary}`);
        const names = Object.keys(schema.properties ?? {});
        if (names.length > 0)
          console.line(console.colors.dim(`  ${''.padEnd(20)} options: ${names.join(', ')}`));
      }
    });
}

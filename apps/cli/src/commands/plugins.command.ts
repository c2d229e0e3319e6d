import type { AnyDefinition, PluginStatus } from '@espalier/plugin-host';
import type { Command } from 'commander';
import { z } from 'zod';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { loadRegistry, type Registry } from '../workspace.js';

/** Adds `espalier plugins`. */
export function addPluginsCommand(program: Command, { console }: CommandContext): void {
  program
    .command('plugins')
    .description('list installed environments, rewards, algorithms and models, and what is broken')
    .option('--json', 'one JSON object per line: where it comes from, health, JSON Schema of the options')
    .addHelpText('after', examples(['plugins', 'what can stand behind `use:` in a configuration']))
    .action(async (options: { json?: boolean }) => {
      const registry = await loadRegistry({ note: () => undefined }); // the list itself says what is broken
      if (options.json === true) {
        registry.inventory().forEach((plugin) => console.line(JSON.stringify(describe(plugin, registry))));
        return;
      }
      listUsable(registry, console);
      const broken = registry.broken();
      if (broken.length > 0) console.line(`\n${console.colors.bold('broken')}`);
      for (const { package: name, error } of broken) {
        console.line(`  ${name.padEnd(20)} ${error.message}`);
      }
    });
}

function listUsable(registry: Registry, console: Console): void {
  let kind = '';
  for (const plugin of registry.list()) {
    if (plugin.kind !== kind)
      console.line(`${kind === '' ? '' : '\n'}${console.colors.bold(`${plugin.kind}s`)}`);
    kind = plugin.kind;
    console.line(`  ${plugin.id.padEnd(20)} ${plugin.summary}`);
    const names = Object.keys(optionsOf(plugin).properties ?? {});
    if (names.length > 0) console.line(console.colors.dim(`  ${''.padEnd(20)} options: ${names.join(', ')}`));
  }
}

/** A plugin for a program: what the list knows, and the JSON Schema of its options. */
function describe(plugin: PluginStatus, registry: Registry): object {
  const { kind, id } = plugin;
  if (plugin.health === 'broken' || kind === undefined || id === undefined) return plugin;
  return { ...plugin, options: optionsOf(registry.get(kind, id)) };
}

const optionsOf = (plugin: AnyDefinition) =>
  z.toJSONSchema(plugin.params, { io: 'input', unrepresentable: 'any' });

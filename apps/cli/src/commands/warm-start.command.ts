import { applyOverrides, loadConfig, resolveWarmStartSpec } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { describeProgress, warmStart } from '@espalier/trainer';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { calledAs, collect, quoteWord } from '../parse-arguments.js';
import { loadRegistry } from '../workspace.js';

interface WarmStartOptions {
  readonly set: string[];
  readonly out?: string;
  readonly json?: boolean;
}

/** Adds `espalier warm-start`. */
export function addWarmStartCommand(program: Command, context: CommandContext): void {
  program
    .command('warm-start <config>')
    .description('make a model that speaks the protocol, by imitating the oracles of environments')
    .option('--set <path=value>', 'change an option of the configuration; repeatable', collect, [])
    .option('--out <folder>', 'folder of the model (default: models/<name>)')
    .option('--json', 'print progress, one JSON object per line')
    .addHelpText(
      'after',
      `\nCtrl-C saves; the same command goes on from there.\n` +
        examples([
          'warm-start config/warm-start/seedling.yaml --out models/seedling',
          'makes the model that ships with Espalier',
        ]),
    )
    .action(async (config: string, options: WarmStartOptions) => teach(config, options, context.console));
}

async function teach(config: string, options: WarmStartOptions, console: Console): Promise<void> {
  const registry = await loadRegistry();
  const { spec } = resolveWarmStartSpec(applyOverrides(loadConfig(config), options.set), registry);
  const out = options.out ?? `models/${spec.name}`;
  const words = ['warm-start', config, ...options.set.flatMap((set) => ['--set', set]), '--out', out];
  const command = [calledAs(), ...words.map(quoteWord)].join(' ');
  const interrupt = createInterrupt(console, () =>
    console.note('stopping: the present step is finished, then saved (again: abort)'),
  );
  try {
    const result = await warmStart(
      spec,
      { plugins: registry, out, command, signal: interrupt.signal },
      (event) => console.line(options.json === true ? JSON.stringify(event) : describeProgress(event)),
    );
    if (!result.isComplete) {
      throw new AppError(
        'cli.interrupted',
        `warm start: stopped at step ${result.step}, saved; go on with: ${command}`,
      );
    }
    if (options.json !== true) console.line(`model ${result.folder}`);
  } finally {
    interrupt.dispose();
  }
}

import { applyOverrides, findInstallation, resolveWarmStartSpec } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { isModelChoice } from '@espalier/contracts/model-choice';
import { existsSync } from 'node:fs';
import { describeProgress, warmStart } from '@espalier/imitation';
import type { Command } from 'commander';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { parseModelName } from '../local/named-model.js';
import { openConfig } from '../local/open-config.js';
import { openModel } from '../local/open-model.js';
import { calledAs, collect, quoteWord } from '../parse-arguments.js';
import { requireWarmStartMemory } from '../plan/require-memory.js';
import { requireDevice } from '../local/require-device.js';
import { requireUsable } from '../local/run-folder.js';

interface WarmStartOptions {
  readonly set: string[];
  readonly from?: string;
  readonly out?: string;
  readonly fresh?: boolean;
  readonly json?: boolean;
}

/** Adds `espalier warm-start`. */
export function addWarmStartCommand(program: Command, context: CommandContext): void {
  program
    .command('warm-start <config>')
    .description('train a model to follow the prompt format by imitating the oracles of environments')
    .option('--set <path=value>', 'change an option of the configuration; repeatable', collect, [])
    .option(
      '--from <model>',
      'the model that learns, in place of `model`: a folder, a plugin or hub:owner/name',
    )
    .option('--out <folder>', 'folder of the model (default: models/<name>)')
    .option('--fresh', 'discard an unfinished warm start in the same folder instead of resuming it')
    .option('--json', 'print progress, one JSON object per line')
    .addHelpText(
      'after',
      `\nCtrl-C saves; the same command resumes.\n` +
        examples(
          [
            'warm-start config/warm-start/seedling.yaml --out models/seedling',
            'makes the model that ships with Espalier',
          ],
          [
            'warm-start config/warm-start/smollm2.yaml --from models/smollm2 --out models/smollm2-start',
            'teaches a pretrained model the form of a reply',
          ],
        ),
    )
    .action(async (config: string, options: WarmStartOptions) => teach(config, options, context.console));
}

async function teach(config: string, options: WarmStartOptions, console: Console): Promise<void> {
  const { input: written, registry } = await openConfig(config, options.set, console);
  const from =
    options.from === undefined ? [] : [`model=${JSON.stringify(parseModelName(options.from, registry))}`];
  const input = applyOverrides(written, from);
  const { model } = resolveWarmStartSpec(input, registry).spec;
  // a missing or malformed model is reported before anything is created
  const given = isModelChoice(model) ? await openModel(model, registry, console) : undefined;
  const { spec } = resolveWarmStartSpec(input, registry, given?.limits);
  const out = options.out ?? `models/${spec.name}`;
  requireUsable(out);
  const tight = given === undefined ? [] : await requireWarmStartMemory(config, spec, given, registry);
  await requireDevice(spec.device);
  if (options.json !== true) for (const warning of tight) console.note(`warning: ${warning}`);
  const sets = [
    ...options.set.flatMap((set) => ['--set', set]),
    ...(options.from === undefined ? [] : ['--from', options.from]),
  ];
  const again = [calledAs(), ...['warm-start', config, ...sets, '--out', out].map(quoteWord)].join(' ');
  const command = canonicalCommand(config, options.set, out, undefined, options.from);
  const interrupt = createInterrupt(
    console,
    () => console.note('stopping after the current step, then saving (again: abort)'),
    () => existsSync(`${out.replace(/(?<![\\/])[\\/]+$/, '')}.work/latest/state.json`),
  );
  try {
    const result = await warmStart(
      spec,
      {
        plugins: registry,
        out,
        command,
        fresh: options.fresh === true,
        signal: interrupt.signal,
        ...(given === undefined ? {} : { modelFolder: given.folder, base: given.base }),
      },
      (event) => console.line(options.json === true ? JSON.stringify(event) : describeProgress(event)),
    );
    if (!result.isComplete) {
      throw new AppError(
        'cli.interrupted',
        `warm start: stopped at step ${result.step}, saved; the model so far is in ${result.folder}; resume with: ${again}`,
      );
    }
    if (options.json !== true) console.line(`model ${result.folder}`);
  } finally {
    interrupt.dispose();
  }
}

/**
 * Gives the command that makes a model again, as anybody with this installation would type it: through npm, without a
 * path of this machine; in a clone from the root of the repository.
 */
export function canonicalCommand(
  config: string,
  sets: readonly string[],
  out: string,
  root: string | undefined = rootOfClone(),
  from?: string,
): string {
  const words = [
    portablePath(config, root ?? resolve('.')),
    ...sets.flatMap((set) => ['--set', set]),
    ...(from === undefined
      ? []
      : ['--from', existsSync(from) ? portablePath(from, root ?? resolve('.')) : from]),
    '--out',
    portablePath(out, root ?? resolve('.')),
  ];
  const program = root === undefined ? 'npx espalier' : 'npm run cli --';
  return [`${program} warm-start`, ...words.map(quoteWord)].join(' ');
}

function rootOfClone(): string | undefined {
  const { folder, isClone } = findInstallation();
  return isClone ? folder : undefined;
}

/** A path inside the root as seen from there; of one elsewhere what a reader can use: as typed, or its last name. */
function portablePath(path: string, root: string): string {
  const inside = relative(root, resolve(path));
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
  if (isInside) return inside.split(sep).join('/');
  return isAbsolute(path) || path.startsWith('..') ? basename(path) : path;
}

import { setImmediate } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { addEnvServeCommand } from './env-serve.js';
import { openEnvironment } from '../local/open-environment.js';
import { openPictureFolder } from '../local/picture-files.js';
import { parseParams, parseSeeds } from '../parse-arguments.js';
import { loadRegistry } from '../workspace.js';

interface ShowOptions {
  readonly seeds: string;
  readonly params: Record<string, unknown>;
  readonly pictures?: string;
  readonly json?: boolean;
}

/** Adds `espalier env show`. */
export function addEnvCommand(program: Command, context: CommandContext): void {
  const env = program
    .command('env')
    .description('look at environments, and serve them')
    .addHelpText(
      'after',
      examples(
        ['env show frozen-lake', 'three initial states, one below the other'],
        ['env show bandit --seeds 7 --json', 'one state, for a program'],
        ['env serve sokoban', 'for agents of others'],
      ),
    );
  addEnvServeCommand(env, context);
  env
    .command('show <environment>')
    .description('show what each seed gives: picture, observation, legend, state key')
    .option('--seeds <seeds>', '7, 3,5,9 or 10000..10031 (both ends included)', '0..2')
    .option('--params <json>', 'options of the environment, such as \'{"preset": "r1"}\'', parseParams, {})
    .option('--pictures <folder>', 'save a PNG picture of each state there, and print its path')
    .option(
      '--json',
      'one object per line: {"seed","observation","render","stateKey"}, with --pictures also "picture"',
    )
    .addHelpText(
      'after',
      examples(
        [
          'env show frozen-lake --seeds 10000..10031',
          '32 initial states, one below the other; no run trains or validates on these seeds',
        ],
        ['env show sokoban --seeds 7 --pictures pictures', 'also as pictures/sokoban-7.png'],
        [`env show sokoban --seeds 7 --params '{"dims": [8, 8]}' --json`, 'one state, for a program'],
      ),
    )
    .action(async (id: string, options: ShowOptions) => showSeeds(id, options, context));
}

async function showSeeds(
  id: string,
  { seeds, params, json, pictures }: ShowOptions,
  { console }: CommandContext,
): Promise<void> {
  const environment = openEnvironment(id, params, await loadRegistry(console));
  const instance = environment.definition.create(environment.params);
  try {
    const hasPictures = instance.picture !== undefined;
    if (pictures !== undefined && !hasPictures)
      throw new AppError(
        'cli.usage',
        `env show ${id} --pictures: this environment has no pictures; leave the option out`,
      );
    const folder = pictures === undefined ? undefined : openPictureFolder(pictures);
    for (const seed of parseSeeds(seeds)) {
      await setImmediate(); // lets the process notice a reader that went away
      const { text, stateKey, legend = {} } = await instance.reset({ state: seed, noise: seed });
      const render = instance.render();
      const picture = folder?.save(`${id}-${seed}`, instance.picture!());
      if (json === true) {
        console.line(JSON.stringify({ seed, observation: text, render, stateKey, picture }));
        continue;
      }
      console.line(console.colors.bold(`seed ${seed}`));
      console.line(render);
      if (picture !== undefined) console.line(console.colors.dim(`picture: ${picture}`));
      const symbols = Object.entries(legend).map(([symbol, meaning]) => `${symbol} ${meaning}`);
      if (text !== render) console.line(console.colors.dim(text));
      if (symbols.length > 0) console.line(console.colors.dim(`legend: ${symbols.join('  ')}`));
      console.line(console.colors.dim(describeStateKey(stateKey, render, text)));
      console.line();
    }
  } finally {
    await instance.close?.();
  }
}

/** The state key in a line, or below its name; not twice what stands above it. */
function describeStateKey(stateKey: string, render: string, text: string): string {
  if (stateKey === render) return 'state key: the render';
  if (stateKey === text) return 'state key: the text of the observation';
  return `state key:${stateKey.includes('\n') ? '\n' : ' '}${stateKey}`;
}

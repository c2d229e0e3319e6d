import type { EnvironmentInstance } from '@espalier/plugin-kit';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { openEnvironment } from '../local/open-environment.js';
import { parseParams, parseSeed } from '../parse-arguments.js';
import { createPlaySession, describeActions, matchAction, type PlaySession } from '../local/play-session.js';
import { readWords } from '../local/read-words.js';
import { loadRegistry } from '../workspace.js';

interface PlayOptions {
  readonly seed: number;
  readonly params: Record<string, unknown>;
}

const keys = '? asks the oracle · u undoes · r restarts · n next seed · q quits';

/** Adds `espalier play`. */
export function addPlayCommand(program: Command, context: CommandContext): void {
  program
    .command('play <environment>')
    .description('play an environment in the terminal; the oracle can be asked')
    .option('--seed <n>', 'initial state', parseSeed, 0)
    .option('--params <json>', 'options of the environment', parseParams, {})
    .addHelpText(
      'after',
      `\nType an action's name, its number, a beginning that fits only one, or use the arrow keys.\n${keys}\n` +
        examples(
          ['play sokoban --seed 7', 'push the box onto the target'],
          ['play frozen-lake', 'another one, from a script', `printf 'right\\nright\\nq\\n'`],
        ),
    )
    .action(async (id: string, options: PlayOptions) => play(id, options, context.console));
}

async function play(id: string, options: PlayOptions, console: Console): Promise<void> {
  const environment = openEnvironment(id, options.params, await loadRegistry(console));
  const instance = environment.definition.create(environment.params);
  const session = createPlaySession(instance);
  let { seed } = options;
  try {
    await session.restart(seed);
    const instruction = environment.definition.instruction(environment.params);
    if (instruction !== '') console.line(instruction);
    show(session, instance, console);
    for await (const word of readWords('> ', console.isInteractive && process.stdin.isTTY === true)) {
      if (word === '') continue;
      if (['q', 'quit', 'exit'].includes(word)) break;
      if (word === 'n' || word === 'r') {
        if (word === 'n') seed += 1;
        await session.restart(seed);
        console.line(console.colors.dim(`seed ${seed}`));
        show(session, instance, console);
        continue;
      }
      await answer(word, session, instance, console);
    }
  } finally {
    await instance.close?.();
  }
}

async function answer(
  word: string,
  session: PlaySession,
  instance: EnvironmentInstance,
  console: Console,
): Promise<void> {
  const ended = 'the episode has ended; r restarts, n takes the next seed, q quits';
  if (word === '?') {
    if (session.outcome !== undefined) return console.line(ended);
    const plan = instance.oracle?.();
    console.line(
      plan === undefined
        ? 'this environment has no oracle'
        : plan.length === 0
          ? 'the oracle sees no way'
          : `oracle: ${plan.join(', ')}`,
    );
    return;
  }
  if (word === 'u') {
    if (!session.undo()) return console.line('nothing to undo');
    return show(session, instance, console);
  }
  if (session.outcome !== undefined) return console.line(ended);
  const { actions } = session.observation;
  const action = matchAction(word, actions);
  if (action === undefined)
    return console.line(`"${word}" is not an action; choose ${(actions ?? []).join(', ')}, or ${keys}`);
  console.line(console.colors.dim(await session.act(action)));
  show(session, instance, console);
}

function show(session: PlaySession, instance: EnvironmentInstance, console: Console): void {
  const { observation, outcome, earned, actions } = session;
  const picture = instance.render();
  const shown = [...new Set([observation.text, picture])].filter((text) => text !== '');
  console.line(`\n${shown.join('\n\n')}\n`);
  const legend = Object.entries(observation.legend ?? {});
  if (legend.length > 0)
    console.line(console.colors.dim(legend.map(([symbol, meaning]) => `${symbol} ${meaning}`).join('  ')));
  if (outcome !== undefined) {
    console.line(
      `${outcome} after ${actions} ${actions === 1 ? 'action' : 'actions'}, total reward ${Number(earned.toFixed(6))}; r restarts, n takes the next seed, q quits`,
    );
    return;
  }
  console.line(`actions: ${describeActions(observation.actions)}   ${console.colors.dim(keys)}`);
}

/** @file Plays an environment word by word: what a person types, and what is shown for it. */
import type { EnvironmentInstance } from '@espalier/plugin-kit';
import type { Console } from '../console.js';
import type { OpenedEnvironment } from './open-environment.js';
import { createPlaySession, describeActions, matchAction, type PlaySession } from './play-session.js';

export const playKeys = '? asks the oracle · u undoes · r restarts · n next seed · q quits';

/** Whether a word ends the game. */
export const isQuit = (word: string): boolean => ['q', 'quit', 'exit'].includes(word);

export interface Player {
  /** Takes a word that is none of {@link isQuit}. */
  answer(word: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens an environment, and shows its instruction and first state. */
export async function createPlayer(
  { definition, params }: OpenedEnvironment,
  firstSeed: number,
  console: Console,
): Promise<Player> {
  const instance = definition.create(params);
  const session = createPlaySession(instance);
  let seed = firstSeed;
  await session.restart(seed);
  const instruction = definition.instruction(params);
  if (instruction !== '') console.line(instruction);
  show(session, instance, console);
  return {
    async answer(word) {
      if (word === '') return;
      if (word !== 'n' && word !== 'r') return answer(word, session, instance, console);
      if (word === 'n') seed += 1;
      await session.restart(seed);
      console.line(console.colors.dim(`seed ${seed}`));
      show(session, instance, console);
    },
    close: async () => instance.close?.(),
  };
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
    if (!(await session.undo())) return console.line('nothing to undo');
    return show(session, instance, console);
  }
  if (session.outcome !== undefined) return console.line(ended);
  const { actions } = session.observation;
  const action = matchAction(word, actions);
  if (action === undefined)
    return console.line(`"${word}" is not an action; choose ${(actions ?? []).join(', ')}, or ${playKeys}`);
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
  console.line(`actions: ${describeActions(observation.actions)}   ${console.colors.dim(playKeys)}`);
}

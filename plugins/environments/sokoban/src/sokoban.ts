/**
 * @file The rules of Sokoban as the reference plays them: a step moves or pushes one box; -0.1 a step, +1 for a box
 * onto a target, -1 off it, +10 when all are on targets. A hand-made level may start with boxes on targets.
 */
import { type EnvironmentInstance, type StepResult, unknownAction } from '@espalier/plugin-kit';
import { factsOf } from './facts.js';
import { generateLevel } from './generate.js';
import { actionNames, cells, cellsWith, type Level, offsets } from './level.js';
import { createObserver, plainGrid, type View } from './observe.js';
import { levelPicture } from './picture.js';
import { deadSquares, solve } from './solve.js';
import { explainText } from './text.js';

export interface SokobanParams extends View {
  readonly dims: readonly [number, number];
  readonly boxes: number;
  readonly searchDepth: number;
  readonly maxSteps: number;
}

interface Snapshot {
  readonly rows: number;
  readonly columns: number;
  readonly fixed: readonly number[];
  readonly state: readonly number[];
  readonly steps: number;
}

/** A level being played; fields other than `level` change with every step. */
interface Game {
  readonly level: Level;
  /** how far each action moves on the flat grid */
  readonly moves: readonly number[];
  readonly boxes: number;
  /** boxes on targets */
  covered: number;
  player: number;
  steps: number;
  /** cells from which no box reaches a target; computed on first use */
  dead?: Uint8Array;
}

/** Moves or pushes; changes `state` in place. Returns the player's new cell and the change of boxes on targets. */
export function move(level: Level, player: number, offset: number): { player: number; gained: number } {
  const { fixed, state } = level;
  const next = player + offset;
  const ahead = state[next]!;
  let gained = 0;
  if (ahead === cells.box || ahead === cells.boxOnTarget) {
    const beyond = next + offset;
    if (state[beyond] !== cells.floor && state[beyond] !== cells.target) return { player, gained };
    const onTarget = fixed[beyond] === cells.target;
    state[beyond] = onTarget ? cells.boxOnTarget : cells.box;
    gained = (onTarget ? 1 : 0) - (ahead === cells.boxOnTarget ? 1 : 0);
  } else if (ahead !== cells.floor && ahead !== cells.target) {
    return { player, gained };
  }
  state[player] = fixed[player]!;
  state[next] = cells.player;
  return { player: next, gained };
}

function beginGame(level: Level, steps: number): Game {
  const covered = cellsWith(level.state, cells.boxOnTarget).length;
  return {
    level,
    moves: offsets(level.columns),
    boxes: covered + cellsWith(level.state, cells.box).length,
    covered,
    player: cellsWith(level.state, cells.player)[0]!,
    steps,
  };
}

/** Takes one action, numbered as in `actionNames`. */
function takeStep(game: Game, action: number, maxSteps: number): Omit<StepResult, 'observation'> {
  const { player, gained } = move(game.level, game.player, game.moves[action]!);
  const effective = player !== game.player;
  game.player = player;
  game.covered += gained;
  game.steps += 1;
  const success = game.covered === game.boxes;
  let reward = -0.1;
  if (gained !== 0) reward += gained;
  if (success) reward += 10;
  return { reward, done: success || game.steps >= maxSteps, success, valid: true, effective };
}

const numberOf = (action: string): number => actionNames.indexOf(action as (typeof actionNames)[number]);
const deadIn = (game: Game): Uint8Array => (game.dead ??= deadSquares(game.level));

function snapshotOf({ level: { rows, columns, fixed, state }, steps }: Game): Snapshot {
  return { rows, columns, fixed: [...fixed], state: [...state], steps };
}

/** Creates one warehouse; `reset` generates its level. */
export function createSokoban(params: SokobanParams): EnvironmentInstance {
  const observe = createObserver(params);
  const [rows, columns] = params.dims;
  let game = beginGame({ rows: 0, columns: 0, fixed: new Uint8Array(0), state: new Uint8Array(0) }, 0);
  let seen = observe(game.level);

  const begin = (level: Level, steps: number): typeof seen => {
    game = beginGame(level, steps);
    return (seen = observe(level));
  };

  return {
    reset: (seeds) => begin(generateLevel(seeds.state, { rows, columns, ...params }), 0),
    step: (action) => {
      const number = numberOf(action);
      if (number < 0) throw unknownAction(action, actionNames);
      const result = takeStep(game, number, params.maxSteps);
      if (result.effective) seen = observe(game.level);
      return { observation: seen, ...result };
    },
    render: () => plainGrid(game.level),
    picture: () => levelPicture(game.level),
    oracle: () => solve(game.level, deadIn(game)).map((action) => actionNames[action]!),
    explain: (plan) => explainText(game.level, plan.map(numberOf)),
    facts: () => factsOf(game.level, game.player, deadIn(game)),
    snapshot: () => snapshotOf(game),
    restore: (snapshot) => {
      const { fixed, state, steps, ...size } = snapshot as Snapshot;
      begin({ ...size, fixed: Uint8Array.from(fixed), state: Uint8Array.from(state) }, steps);
    },
  };
}

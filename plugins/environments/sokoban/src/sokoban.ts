/**
 * @file The rules of Sokoban as the reference plays them: a step moves or pushes one box; -0.1 a step, +1 for a box
 * onto a target, -1 off it, +10 when all are on targets. A hand-made level may start with boxes on targets.
 */
import {
  type EnvironmentInstance,
  type Observation,
  type StepResult,
  unknownAction,
} from '@espalier/plugin-kit';
import { generateLevel } from './generate.js';
import { actionNames, cells, cellsWith, type Level, offsets, position } from './level.js';
import { deadSquares, solve } from './solve.js';
import {
  coordinateText,
  defaultSymbols,
  explainText,
  gridText,
  legendOf,
  type Symbols,
  symbolTable,
} from './text.js';

export interface SokobanParams {
  readonly dims: readonly [number, number];
  readonly boxes: number;
  readonly searchDepth: number;
  readonly maxSteps: number;
  readonly observation: 'grid' | 'coord' | 'grid_coord';
  readonly symbols: Symbols;
}

interface Snapshot {
  readonly rows: number;
  readonly columns: number;
  readonly fixed: readonly number[];
  readonly state: readonly number[];
  readonly steps: number;
}

const plainTable = symbolTable(defaultSymbols);

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

/** Creates one warehouse; `reset` generates its level. */
export function createSokoban(params: SokobanParams): EnvironmentInstance {
  const table = symbolTable(params.symbols);
  const usesDefaults = table.every((symbol, code) => symbol === plainTable[code]);
  const legend = params.observation === 'coord' ? undefined : legendOf(params.symbols);
  let level: Level = { rows: 0, columns: 0, fixed: new Uint8Array(0), state: new Uint8Array(0) };
  let steps = 0;
  let player = 0;
  let covered = 0;
  let total = 0;
  let moves = offsets(0);
  let dead: Uint8Array | undefined;
  let seen: Observation;

  const begin = (next: Level, taken: number): Observation => {
    level = next;
    steps = taken;
    player = cellsWith(level.state, cells.player)[0]!;
    covered = cellsWith(level.state, cells.boxOnTarget).length;
    total = covered + cellsWith(level.state, cells.box).length;
    moves = offsets(level.columns);
    dead = undefined;
    return (seen = observe());
  };
  const observe = (): Observation => {
    const anchor = gridText(level, plainTable);
    const grid = usesDefaults || params.observation === 'coord' ? anchor : gridText(level, table);
    const text =
      params.observation === 'grid'
        ? grid
        : params.observation === 'coord'
          ? coordinateText(level)
          : `Coordinates: \n${coordinateText(level)}\nGrid Map: \n${grid}`;
    return legend === undefined
      ? { text, actions: actionNames, anchor }
      : { text, legend, actions: actionNames, anchor };
  };
  const dry = (): Uint8Array => (dead ??= deadSquares(level));

  return {
    reset: (seeds) => {
      const [rows, columns] = params.dims;
      return begin(generateLevel(seeds.state, { rows, columns, ...params }), 0);
    },
    step: (action): StepResult => {
      const index = actionNames.indexOf(action as (typeof actionNames)[number]);
      if (index < 0) throw unknownAction(action, actionNames);
      const before = player;
      const moved = move(level, before, moves[index]!);
      player = moved.player;
      covered += moved.gained;
      steps += 1;
      const success = covered === total;
      let reward = -0.1;
      if (moved.gained !== 0) reward += moved.gained;
      if (success) reward += 10;
      const effective = player !== before;
      if (effective) seen = observe();
      return {
        observation: seen,
        reward,
        done: success || steps >= params.maxSteps,
        success,
        valid: true,
        effective,
      };
    },
    render: () => gridText(level, plainTable),
    oracle: () => solve(level, dry()).map((action) => actionNames[action]!),
    explain: (plan) =>
      explainText(
        level,
        plan.map((name) => actionNames.indexOf(name as 'Up')),
      ),
    facts: () => factsOf(level, player, dry()),
    snapshot: (): Snapshot => ({
      rows: level.rows,
      columns: level.columns,
      fixed: [...level.fixed],
      state: [...level.state],
      steps,
    }),
    restore: (snapshot) => {
      const { rows, columns, fixed, state, steps: taken } = snapshot as Snapshot;
      begin({ rows, columns, fixed: Uint8Array.from(fixed), state: Uint8Array.from(state) }, taken);
    },
  };
}

function factsOf(level: Level, player: number, dead: Uint8Array): Record<string, unknown> {
  const { columns, state, fixed } = level;
  const boxes = cellsWith(state, cells.box, cells.boxOnTarget);
  const targets = cellsWith(fixed, cells.target);
  const [row, column] = position(player, columns);
  /** [rows down, columns right] from the player */
  const relative = (cell: number): [number, number] => [
    position(cell, columns)[0] - row,
    position(cell, columns)[1] - column,
  ];
  return {
    player: [row, column],
    boxes: boxes.map((cell) => position(cell, columns)),
    targets: targets.map((cell) => position(cell, columns)),
    boxesFromPlayer: boxes.map(relative),
    targetsFromPlayer: targets.map(relative),
    boxesOnTarget: boxes.filter((cell) => state[cell] === cells.boxOnTarget).length,
    walls: [-columns, columns, -1, 1].map((offset) => state[player + offset] === cells.wall),
    deadlock: boxes.some((cell) => dead[cell] === 1),
  };
}

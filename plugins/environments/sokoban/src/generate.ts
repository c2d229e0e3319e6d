/**
 * @file Levels by seed, bit-equal to the reference (test/golden/sokoban). One thing differs on purpose: where a
 * seed gives no level, the reference continues with Python's salted string hash, which differs in every process;
 * here the next seed is the 32-bit FNV-1a hash of the decimal digits, the same everywhere.
 */
import { AppError, NumpyLegacy, PythonRandom } from '@espalier/plugin-kit';
import { cells, type Level, offsets } from './level.js';
import { playBackwards } from './reverse-play.js';
import { createRooms, placeThings } from './topology.js';

const TRIES = 4;
const SEEDS_TRIED = 64;

export interface LevelOptions {
  readonly rows: number;
  readonly columns: number;
  readonly boxes: number;
  /** longest line of reverse play */
  readonly searchDepth: number;
}

export interface GeneratedLevel extends Level {
  /** the seed that gave the level: the asked one, or its first successor that works */
  readonly seed: number;
  /** [target, box] for each box */
  readonly pairs: readonly (readonly [number, number])[];
  readonly reverseActions: readonly number[];
}

/**
 * Generates the level of a seed.
 *
 * @param seed integer in 0..2^32-1
 * @throws AppError where no level of this shape can be found
 */
export function generateLevel(seed: number, options: LevelOptions): GeneratedLevel {
  let current = seed;
  for (let attempt = 0; attempt < SEEDS_TRIED; attempt++) {
    const level = tryGenerate(current, options);
    if (level !== undefined) return level;
    current = nextSeed(current);
  }
  throw new AppError(
    'contracts.invalid_value',
    `generateLevel: seed ${seed} and ${SEEDS_TRIED} successors give no ${options.rows} × ${options.columns} level with ` +
      `${options.boxes} boxes; make the room larger, take fewer boxes or search deeper`,
    { details: { seed, ...options } },
  );
}

/** The level of exactly this seed; undefined where the reference gives up on it. */
export function tryGenerate(seed: number, options: LevelOptions): GeneratedLevel | undefined {
  const python = new PythonRandom(seed);
  const numpy = new NumpyLegacy(seed);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const fixed = createRooms(python, options.rows, options.columns);
    const start = placeThings(numpy, fixed, options.boxes);
    if (start === undefined) return undefined;
    const { player, boxes, targets, actions, displacement } = playBackwards(
      fixed,
      options.columns,
      start,
      options.searchDepth,
    );
    if (displacement === 0) continue;
    const state = fixed.slice();
    for (const box of boxes) state[box] = cells.box;
    const cell = strollPlayer(python, state, player, options.columns, displacement === 1 ? 0.8 : 0.5);
    state[cell] = cells.player;
    const pairs = targets.map((target, box) => [target, boxes[box]!] as const);
    return {
      rows: options.rows,
      columns: options.columns,
      fixed,
      state,
      seed,
      pairs,
      reverseActions: actions,
    };
  }
  return undefined;
}

/** Moves the player up to three random steps away, so that the first push is not always next to it. */
function strollPlayer(
  random: PythonRandom,
  state: Uint8Array,
  player: number,
  columns: number,
  probability: number,
): number {
  if (random.random() > probability) return player;
  const visited = new Set([player]);
  let cell = player;
  for (let steps = 1; ; steps++) {
    const open = offsets(columns)
      .map((offset) => cell + offset)
      .filter((next) => !visited.has(next) && (state[next] === cells.floor || state[next] === cells.target));
    if (open.length === 0) return cell;
    cell = open[random.below(open.length)]!;
    visited.add(cell);
    if (steps >= 3 || random.random() > 0.5) return cell;
  }
}

/** 32-bit FNV-1a of the decimal digits. */
function nextSeed(seed: number): number {
  let hash = 0x811c9dc5;
  for (const digit of String(seed)) hash = Math.imul(hash ^ digit.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}

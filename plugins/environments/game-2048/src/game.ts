/**
 * @file 2048 by the rules of RAGEN-2, with its draws: two tiles at the start, one after each move, 2 or 4, from NumPy's
 * generator. Where state and noise have one seed the whole game is the reference's, tile for tile.
 */
import {
  type EnvironmentInstance,
  NumpyGenerator,
  type NumpyGeneratorState,
  type Observation,
  unknownAction,
} from '@espalier/plugin-kit';
import { actionNames, type Board, boardText, canMove, maxTile, movesOf, slide } from './board.js';
import { boardPicture } from './picture.js';
import { chooseDirection } from './player.js';

export interface GameOptions {
  readonly size: number;
  readonly goal: number;
  readonly ends: 'stuck' | 'goal';
  readonly twoProbability: number;
  readonly reward: 'log' | 'score';
  readonly unmoved: number;
}

interface Position {
  readonly board: Board;
  readonly score: number;
}

interface Snapshot extends Position {
  readonly noise: NumpyGeneratorState;
}

/** Most moves of a plan. With `ends: stuck` a game on a large board takes more, and has no plan. */
const longestPlan = 3000;

/** Puts a tile into an empty cell of a board. */
function spawn(board: number[], generator: NumpyGenerator, twoProbability: number): void {
  let empty = 0;
  for (let cell = 0; cell < board.length; cell++) if (board[cell] === 0) empty += 1;
  if (empty === 0) return;
  let before = generator.integer(empty);
  let cell = board.indexOf(0);
  while (before > 0) {
    cell = board.indexOf(0, cell + 1);
    before -= 1;
  }
  board[cell] = generator.random() < twoProbability ? 2 : 4;
}

/** Creates one board; `reset` draws its first two tiles. */
export function createGame(options: GameOptions): EnvironmentInstance {
  const { size, goal, ends, twoProbability } = options;
  let game: Position = { board: new Array<number>(size * size).fill(0), score: 0 };
  let noise = new NumpyGenerator(0);

  const observe = (): Observation => {
    const text = boardText(game.board, size);
    return { text, actions: actionNames, stateKey: text };
  };
  const outcome = (board: Board, largest = maxTile(board)): { done: boolean; success: boolean } => {
    const isReached = largest >= goal;
    const done = (ends === 'goal' && isReached) || !canMove(board, size);
    return { done, success: done && isReached };
  };
  const rewardOf = (gained: number, moved: boolean): number => {
    if (options.reward === 'score') return moved ? gained : options.unmoved;
    return gained > 0 ? Math.log2(gained + 1) * 0.1 : 0;
  };
  const move = (board: Board, direction: number, generator: NumpyGenerator) => {
    const slid = slide(board, size, direction);
    if (slid.moved) spawn(slid.board, generator, twoProbability);
    return slid;
  };

  /** Plays a copy of the game to its end. */
  const plan = (): string[] => {
    const generator = new NumpyGenerator(0);
    generator.restore(noise.state());
    const directions: number[] = [];
    let { board } = game;
    while (!outcome(board).done && directions.length < longestPlan) {
      const direction = chooseDirection(board, size);
      directions.push(direction);
      ({ board } = move(board, direction, generator));
    }
    return outcome(board).success ? directions.map((direction) => actionNames[direction]!) : [];
  };

  return {
    reset: ({ state, noise: seed }) => {
      const generator = new NumpyGenerator(state);
      const board = new Array<number>(size * size).fill(0);
      spawn(board, generator, twoProbability);
      spawn(board, generator, twoProbability);
      game = { board, score: 0 };
      noise = seed === state ? generator : new NumpyGenerator(seed);
      return observe();
    },
    step: (action) => {
      const direction = actionNames.indexOf(action as (typeof actionNames)[number]);
      if (direction < 0) throw unknownAction(action, actionNames);
      const { board, gained, moved } = move(game.board, direction, noise);
      game = { board, score: game.score + gained };
      const largest = maxTile(board);
      const { done, success } = outcome(board, largest);
      return {
        observation: observe(),
        reward: rewardOf(gained, moved),
        done,
        success,
        valid: true,
        effective: moved,
        metrics: { max_tile: largest, score: gained },
      };
    },
    render: () => `${boardText(game.board, size, true)}\nscore ${game.score}`,
    picture: () => boardPicture(game.board, size),
    oracle: plan,
    explain: ([first]) => explainMove(game.board, size, first),
    facts: () => ({
      board: Array.from({ length: size }, (_, row) => game.board.slice(row * size, (row + 1) * size)),
      maxTile: maxTile(game.board),
      score: game.score,
      moves: movesOf(game.board, size).map((direction) => actionNames[direction]!),
    }),
    snapshot: (): Snapshot => ({ ...game, noise: noise.state() }),
    restore: (snapshot) => {
      const { board, score, noise: state } = snapshot as Snapshot;
      game = { board, score };
      noise.restore(state);
    },
  };
}

/** What each direction joins, and which is taken. */
function explainMove(board: Board, size: number, first: string | undefined): string {
  const joins = movesOf(board, size).map((direction) => {
    const { gained } = slide(board, size, direction);
    return `${actionNames[direction]!} joins ${gained === 0 ? 'none' : gained}.`;
  });
  return [...joins, first === undefined ? 'No way to the goal.' : `I take ${first}.`].join(' ');
}

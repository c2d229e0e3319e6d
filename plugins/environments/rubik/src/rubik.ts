/** @file The 2×2 cube by the rules of RAGEN-2, scrambled by its draws: 1 when each face has one colour, 0 before. */
import {
  AppError,
  type EnvironmentInstance,
  NumpyGenerator,
  type Observation,
  unknownAction,
} from '@espalier/plugin-kit';
import { type Cube, facesText, isSolved, netText, solvedCube, turn, turnNames } from './cube.js';
import { cubePicture } from './picture.js';
import { inverse, solve } from './solve.js';

export interface RubikOptions {
  readonly scramble: number;
  readonly distance: 'random' | 'exact';
  readonly observation: 'net' | 'faces';
}

const tries = 2000;

/** Scrambles by random turns; with `exact` until no shorter way back is left. */
export function scrambledCube(
  seed: number,
  { scramble, distance }: Pick<RubikOptions, 'scramble' | 'distance'>,
): Cube {
  const generator = new NumpyGenerator(seed);
  for (let attempt = 0; attempt < tries; attempt++) {
    let cube = solvedCube;
    for (let count = 0; count < scramble; count++) cube = turn(cube, generator.integer(turnNames.length));
    if (distance === 'random' || solve(cube).length === scramble) return cube;
  }
  throw new AppError('plugin.failed', `reset: found no cube ${scramble} turns away; lower \`scramble\``);
}

/** Creates one cube; `reset` scrambles it. */
export function createRubik(options: RubikOptions): EnvironmentInstance {
  let cube = solvedCube;

  const observe = (): Observation => ({
    text: options.observation === 'net' ? netText(cube) : facesText(cube),
    actions: turnNames,
    stateKey: cube,
  });
  /** A solved cube must be turned away and back. */
  const plan = (): readonly number[] => (isSolved(cube) ? [0, inverse(0)] : solve(cube));

  return {
    reset: ({ state }) => {
      cube = scrambledCube(state, options);
      return observe();
    },
    step: (action) => {
      const number = turnNames.indexOf(action as (typeof turnNames)[number]);
      if (number < 0) throw unknownAction(action, turnNames);
      cube = turn(cube, number);
      const success = isSolved(cube);
      const reward = success ? 1 : 0;
      return { observation: observe(), reward, done: success, success, valid: true, effective: true };
    },
    render: () => netText(cube),
    picture: () => cubePicture(cube),
    oracle: () => plan().map((number) => turnNames[number]!),
    explain: (actions) =>
      actions.length === 0
        ? 'Nothing is left to turn.'
        : `${actions.length} ${actions.length === 1 ? 'turn' : 'turns'}: ${actions.join(' ')}.`,
    facts: () => ({ cube, solved: isSolved(cube) }),
    snapshot: () => cube,
    restore: (snapshot) => {
      cube = snapshot as Cube;
    },
  };
}

/**
 * @file The rules of FrozenLake as the reference plays them: an intended step that may slip to a side, ends in
 * holes and on the goal, reward 1 on the goal. Environment noise is NumPy's PCG64 with the draw of the start cell consumed, so
 * noise = state gives the reference's slips (test/golden/frozen-lake). No step limit of its own.
 */
import {
  type EnvironmentInstance,
  NumpyGenerator,
  type NumpyGeneratorState,
  type Observation,
  type StepResult,
  unknownAction,
} from '@espalier/plugin-kit';
import { actionNames, createMap, distances, type LakeMap, neighbour } from './map.js';
import { lakePicture } from './picture.js';
import { cellValues, planFrom } from './plan.js';
import {
  coordinateText,
  explainText,
  gridText,
  holeDirections,
  legend,
  position,
  relativeText,
} from './text.js';

export interface FrozenLakeParams {
  readonly size: number;
  readonly p: number;
  readonly successRate: number;
  readonly observation: 'grid' | 'coord' | 'grid_coord' | 'relative';
}

interface Snapshot {
  readonly size: number;
  readonly start: number;
  readonly goal: number;
  readonly holes: readonly number[];
  readonly player: number;
  readonly noise: NumpyGeneratorState;
}

/** Creates one lake; `reset` draws its map. */
export function createFrozenLake(params: FrozenLakeParams): EnvironmentInstance {
  const fail = (1 - params.successRate) / 2;
  const sideways = fail + params.successRate;
  const last = sideways + fail;
  let map: LakeMap = { size: 0, start: 0, goal: 0, holes: new Uint8Array(0) };
  let noise = new NumpyGenerator(0);
  let player = 0;
  /** what is seen from each cell, made when first needed */
  let seen: (Observation | undefined)[] = [];
  let values: Float64Array | undefined;

  const begin = (next: LakeMap, cell: number): void => {
    map = next;
    player = cell;
    seen = new Array<Observation | undefined>(map.holes.length);
    values = undefined;
  };
  const observe = (): Observation => (seen[player] ??= observationOf(map, player, params.observation));
  const plan = (): number[] =>
    planFrom(map, (values ??= cellValues(map, params.successRate)), player, params.successRate);

  return {
    reset: (seeds) => {
      const next = createMap(seeds.state, params.size, params.p);
      begin(next, next.start);
      noise = new NumpyGenerator(seeds.noise);
      noise.random(); // the reference draws the start cell, though there is only one
      return observe();
    },
    step: (action): StepResult => {
      const intended = actionNames.indexOf(action as (typeof actionNames)[number]);
      if (intended < 0) throw unknownAction(action, actionNames);
      const before = player;
      const uniform = noise.random();
      let intendedCell = before;
      if (map.holes[before] === 0 && before !== map.goal) {
        const turn = uniform < fail ? 3 : uniform < sideways ? 0 : uniform < last ? 1 : 3;
        player = neighbour(before, intended + turn, map.size);
        intendedCell = neighbour(before, intended, map.size);
      }
      const success = player === map.goal;
      return {
        observation: observe(),
        reward: success && before !== player ? 1 : 0,
        done: success || map.holes[player] === 1,
        success,
        valid: true,
        effective: player !== before,
        slipped: player !== intendedCell,
      };
    },
    render: () => gridText(map, player),
    picture: () => lakePicture(map, player),
    oracle: () => plan().map((action) => actionNames[action]!),
    explain: () => explainText(map, player, hasCoordinates(params.observation)),
    facts: () => ({
      player: position(player, map.size),
      goal: position(map.goal, map.size),
      holes: [...map.holes.keys()]
        .filter((cell) => map.holes[cell] === 1)
        .map((cell) => position(cell, map.size)),
      /** steps of the shortest safe path, -1 if there is none */
      distance: distances(map)[player]!,
      holeNeighbours: holeDirections(map, player),
    }),
    snapshot: (): Snapshot => ({ ...map, holes: [...map.holes], player, noise: noise.state() }),
    restore: (snapshot) => {
      const { size, start, goal, holes, player: cell, noise: state } = snapshot as Snapshot;
      begin({ size, start, goal, holes: Uint8Array.from(holes) }, cell);
      noise.restore(state);
    },
  };
}

/** Tells whether a way to show the lake has coordinates in it. */
export function hasCoordinates(observation: FrozenLakeParams['observation']): boolean {
  return observation === 'coord' || observation === 'grid_coord';
}

function observationOf(map: LakeMap, player: number, format: FrozenLakeParams['observation']): Observation {
  const grid = gridText(map, player);
  return {
    text: stateText(map, player, format, grid),
    ...(format === 'grid' || format === 'grid_coord' ? { legend } : {}),
    actions: actionNames,
    stateKey: grid,
  };
}

function stateText(
  map: LakeMap,
  player: number,
  format: FrozenLakeParams['observation'],
  grid: string,
): string {
  if (format === 'grid') return grid;
  if (format === 'relative') return relativeText(map, player);
  const coordinates = coordinateText(map, player);
  return format === 'coord' ? coordinates : `Coordinates: \n${coordinates}\nGrid Map: \n${grid}`;
}

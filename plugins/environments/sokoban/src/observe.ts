/**
 * @file What the agent sees of a level: grid, coordinate lists, or both. The state key is always the grid in the default
 * symbols, so that it depends on the state alone.
 */
import type { Observation } from '@espalier/plugin-kit';
import { actionNames, type Level } from './level.js';
import { coordinateText, defaultSymbols, gridText, legendOf, type Symbols, symbolTable } from './text.js';

export interface View {
  readonly observation: 'grid' | 'coord' | 'grid_coord';
  readonly symbols: Symbols;
}

const plainTable = symbolTable(defaultSymbols);

/** The grid in the default symbols, for people and state keys. */
export function plainGrid(level: Level): string {
  return gridText(level, plainTable);
}

/** Tells whether a view writes any symbol; lists of coordinates have none. */
export function hasSymbols({ observation }: View): boolean {
  return observation !== 'coord';
}

/** Creates the function that shows levels. */
export function createObserver(view: View): (level: Level) => Observation {
  const table = symbolTable(view.symbols);
  const usesDefaults = table.every((symbol, code) => symbol === plainTable[code]);
  const fixed = {
    ...(hasSymbols(view) ? { legend: legendOf(view.symbols) } : {}),
    actions: actionNames,
  };
  return (level) => {
    const stateKey = plainGrid(level);
    const grid = (): string => (usesDefaults ? stateKey : gridText(level, table));
    return { text: stateText(view.observation, level, grid), ...fixed, stateKey };
  };
}

function stateText(observation: View['observation'], level: Level, grid: () => string): string {
  if (observation === 'grid') return grid();
  if (observation === 'coord') return coordinateText(level);
  return `Coordinates: \n${coordinateText(level)}\nGrid Map: \n${grid()}`;
}

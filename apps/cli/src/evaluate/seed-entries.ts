/**
 * @file Runs that differ in their seed only, as one row of the table: each state counts with its mean over the seeds. The
 * interval is over states; how far the seeds lie apart is said beside it.
 */
import { groupBySeed } from '@espalier/report';
import { isRunFolder, readRunSpec } from '../local/recorded-run.js';
import { runOf } from '../local/named-model.js';
import type { Cell, Entry, StateResult } from './result.js';
import { summarizeStates } from './summarize.js';

/** The models of a table that are runs of one setting. */
export interface SeedRow {
  readonly name: string;
  readonly members: readonly string[];
}

/** Groups the models that are runs and differ in their seed only; of `RUN@STEP`, those of equal steps. */
export function findSeedRows(models: readonly string[]): SeedRow[] {
  const runs = models.flatMap((name) => {
    const run = runOf(name);
    if (!isRunFolder(run)) return [];
    const { seed, ...spec } = readRunSpec(run);
    return [{ name, seed, spec: { ...spec, at: name.slice(run.length) } }];
  });
  return groupBySeed(runs).flatMap((own) => {
    const seeds = [...new Set(own.map(({ seed }) => seed))];
    const [first] = own;
    if (first === undefined || seeds.length < 2 || seeds.length < own.length) return [];
    return [{ name: `${first.name} (seeds ${seeds.join(', ')})`, members: own.map(({ name }) => name) }];
  });
}

/** Adds a row for each group, before the baselines. */
export function joinSeeds(entries: readonly Entry[], rows: readonly SeedRow[]): Entry[] {
  const joined = rows.flatMap(({ name, members }): Entry[] => {
    const own = members.flatMap((member) => entries.find((one) => one.name === member) ?? []);
    const [first] = own;
    if (first === undefined) return [];
    const cells = first.cells.map(({ column }) =>
      joinCells(own.flatMap((entry) => entry.cells.filter((cell) => cell.column === column))),
    );
    return [{ name, kind: 'seeds', members, trainedOn: first.trainedOn, cells }];
  });
  const isBaseline = ({ kind }: Entry): boolean => kind === 'baseline';
  return [...entries.filter((one) => !isBaseline(one)), ...joined, ...entries.filter(isBaseline)];
}

/** States that a seed did not complete are left out, so that all seeds weigh alike. */
function joinCells(cells: readonly Cell[]): Cell {
  const [{ column } = { column: '' }] = cells;
  const failed = cells.reduce((sum, cell) => sum + cell.failed, 0);
  const rates = cells.flatMap(({ success }) => success?.value ?? []);
  if (rates.length < cells.length)
    return { column, states: [], episodes: 0, failed, error: 'one of its seeds was not measured' };
  const known = cells.map(({ states }) => new Map(states.map((state) => [state.stateSeed, state])));
  const states = (cells[0]?.states ?? []).flatMap(({ stateSeed }) => {
    const own = known.flatMap((byState) => byState.get(stateSeed) ?? []);
    return own.length < cells.length ? [] : [joinStates(own)];
  });
  if (states.length === 0)
    return { column, states, episodes: 0, failed, error: 'no state was completed by all of its seeds' };
  const episodes = states.reduce((sum, state) => sum + state.episodes, 0);
  const seeds = { lowest: Math.min(...rates), highest: Math.max(...rates) };
  return { column, states, episodes, failed, seeds, ...summarizeStates(states) };
}

function joinStates(states: readonly StateResult[]): StateResult {
  const sum = (of: (state: StateResult) => number): number =>
    states.reduce((total, state) => total + of(state), 0);
  return {
    stateSeed: states[0]?.stateSeed ?? 0,
    episodes: sum(({ episodes }) => episodes),
    successes: sum(({ successes }) => successes),
    score: sum(({ score }) => score) / states.length,
  };
}

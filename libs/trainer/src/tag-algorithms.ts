/** @file The algorithms of a run: one for all environments, and where a tag has its own, that one for its trajectories. */
import { paramsOf, type PluginLookup } from './bind-plugins.js';
import type { RunSpec } from '@espalier/contracts';
import { countCritics, listAlgorithms } from '@espalier/contracts/mixing';
import type { AlgorithmDefinition } from '@espalier/plugin-kit';

export interface BoundAlgorithm {
  readonly algorithm: AlgorithmDefinition<unknown>;
  readonly algorithmParams: unknown;
}

export interface RunAlgorithms extends BoundAlgorithm {
  /** by tag; absent: no tag has its own */
  readonly ownAlgorithms?: ReadonlyMap<string, BoundAlgorithm> | undefined;
}

/** Finds the algorithms of a run. @throws plugin.not_found */
export function bindAlgorithms(spec: RunSpec, registry: PluginLookup): RunAlgorithms {
  const bind = (chosen: RunSpec['algorithm']): BoundAlgorithm => ({
    algorithm: registry.get('algorithm', chosen.use),
    algorithmParams: paramsOf(chosen),
  });
  const own = Object.entries(spec.environments ?? {}).flatMap(([tag, { algorithm }]) =>
    algorithm === undefined ? [] : [[tag, bind(algorithm)] as const],
  );
  return { ...bind(spec.algorithm), ...(own.length === 0 ? {} : { ownAlgorithms: new Map(own) }) };
}

/** The tag itself where it has something of its own; empty where it shares that of the run. */
export const ownerOf = (tag: string, own: ReadonlyMap<string, unknown> | undefined): string =>
  own?.has(tag) === true ? tag : '';

/** The algorithm that learns from the trajectories of a tag. */
export const algorithmOf = (tag: string, algorithms: RunAlgorithms): BoundAlgorithm =>
  algorithms.ownAlgorithms?.get(tag) ?? algorithms;

/** Lists the algorithms that learn from something. */
export const listUsed = (spec: RunSpec, algorithms: RunAlgorithms): readonly BoundAlgorithm[] =>
  listAlgorithms(spec).map(({ tag = '' }) => algorithmOf(tag, algorithms));

/** Whether the algorithm of a tag compares each group with a greedy trajectory. */
export function needsGreedyBaseline(tag: string, algorithms: RunAlgorithms): boolean {
  const { algorithm, algorithmParams } = algorithmOf(tag, algorithms);
  return algorithm.needs(algorithmParams).greedyBaseline === true;
}

/** The models of a run. */
export interface RunNeeds {
  readonly critic: boolean;
  /** how many critics; 0 without */
  readonly critics: number;
  readonly reference: boolean;
}

/** The models that some algorithm of the run needs. */
export function needsOf(spec: RunSpec, algorithms: RunAlgorithms): RunNeeds {
  const needs = listUsed(spec, algorithms).map(({ algorithm, algorithmParams }) =>
    algorithm.needs(algorithmParams),
  );
  return {
    critic: needs.some(({ critic }) => critic),
    critics: countCritics(needs),
    reference: needs.some(({ reference }) => reference),
  };
}

/**
 * @file What algorithms keep between iterations: numbers by name, part of the state of a run. Those of a tag with an
 * algorithm of its own are kept as `tag/<tag>/<name>`.
 */
import type { RunSpec } from '@espalier/contracts';
import { listTrained } from '@espalier/contracts/mixing';
import type { AlgorithmMemory } from '@espalier/plugin-kit';
import { algorithmOf, type RunAlgorithms } from './tag-algorithms.js';
import type { TrainerState } from './trainer-state.js';

type ConfiguredAlgorithms = RunAlgorithms & { readonly spec: RunSpec };

/** What the algorithms have under these options before anything is measured. */
function startOf(algorithms: ConfiguredAlgorithms): AlgorithmMemory {
  const { spec, algorithm, algorithmParams, ownAlgorithms } = algorithms;
  const tags = listTrained(spec).map(({ tag = '' }) => tag);
  const shared = tags.filter((tag) => ownAlgorithms?.has(tag) !== true);
  return {
    ...(shared.length === 0 ? {} : algorithm.startMemory?.(algorithmParams, shared)),
    ...Object.assign(
      {},
      ...[...(ownAlgorithms ?? [])].map(([tag, own]) =>
        storeMemory(tag, own.algorithm.startMemory?.(own.algorithmParams, [tag]) ?? {}, algorithms),
      ),
    ),
  } as AlgorithmMemory;
}

/** The memory of an iteration: what is stored of the names that the algorithms have under these options, else their start. */
export function memoryOf(parts: ConfiguredAlgorithms & { readonly state: TrainerState }): AlgorithmMemory {
  return Object.fromEntries(
    Object.entries(startOf(parts)).map(([name, value]) => [name, parts.state.memory?.[name] ?? value]),
  );
}

/**
 * What of a stored memory holds under other options: numbers that would begin alike. One whose start was changed begins
 * there, or else the change would change nothing.
 */
export function keepMemory(
  memory: AlgorithmMemory | undefined,
  before: ConfiguredAlgorithms,
  after: ConfiguredAlgorithms,
): Pick<TrainerState, 'memory'> {
  if (memory === undefined) return {};
  const [was, is] = [startOf(before), startOf(after)];
  return {
    memory: Object.fromEntries(Object.entries(memory).filter(([name]) => was[name] === is[name])),
  };
}

/** The part of the memory that the algorithm of a tag knows. */
export function memoryFor(tag: string, memory: AlgorithmMemory, algorithms: RunAlgorithms): AlgorithmMemory {
  const { ownAlgorithms } = algorithms;
  if (ownAlgorithms === undefined) return memory;
  const entries = Object.entries(memory);
  if (ownAlgorithms.has(tag)) return Object.fromEntries(underTag(tag, entries));
  const isOwn = (name: string): boolean =>
    [...ownAlgorithms.keys()].some((one) => name.startsWith(prefixOf(one)));
  return Object.fromEntries(entries.filter(([name]) => !isOwn(name)));
}

/** What the algorithm of a tag says of its memory, as it is kept. */
export const storeMemory = (tag: string, memory: AlgorithmMemory, algorithms: RunAlgorithms) =>
  algorithms.ownAlgorithms?.has(tag) === true
    ? Object.fromEntries(Object.entries(memory).map(([name, value]) => [`${prefixOf(tag)}${name}`, value]))
    : memory;

/**
 * The memory after an iteration, as part of the state; nothing where no algorithm keeps anything. Each algorithm is told what
 * its own losses reported.
 *
 * @param shared what the loss of the run reported; NaN: it had no tokens
 */
export function nextMemory(
  parts: RunAlgorithms,
  memory: AlgorithmMemory,
  metrics: Readonly<Record<string, number>>,
  shared: Readonly<Record<string, number>>,
): Pick<TrainerState, 'memory'> {
  if (Object.keys(memory).length === 0) return {};
  const ofRun = parts.ownAlgorithms === undefined ? {} : shared;
  const tags = ['', ...(parts.ownAlgorithms?.keys() ?? [])];
  const next = tags.map((tag) => {
    const own = memoryFor(tag, memory, parts);
    if (Object.keys(own).length === 0) return {};
    const { algorithm, algorithmParams } = algorithmOf(tag, parts);
    const ofLosses = tag === '' ? ofRun : { ...nothingOf(ofRun), ...ofTag(tag, metrics) };
    const measured = withoutGaps({ ...metrics, ...ofLosses });
    return storeMemory(tag, algorithm.nextMemory?.(own, measured, algorithmParams) ?? own, parts);
  });
  return { memory: Object.assign({}, ...next) as AlgorithmMemory };
}

/** Reports the numbers that an update used: `klCoefficient` as `algorithm/kl_coefficient`; a tag stays as it is. */
export const memoryMetrics = (memory: AlgorithmMemory, algorithms: RunAlgorithms): Record<string, number> =>
  Object.fromEntries(
    ['', ...(algorithms.ownAlgorithms?.keys() ?? [])].flatMap((tag) =>
      Object.entries(memoryFor(tag, memory, algorithms)).map(([name, value]) => [
        `${tag === '' ? '' : prefixOf(tag)}${metricOf(name)}`,
        value,
      ]),
    ),
  );

function metricOf(name: string): string {
  const [own = '', ...tag] = name.split('/');
  const words = own.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return ['algorithm', words, ...tag].join('/');
}

const prefixOf = (tag: string): string => `tag/${tag}/`;

/** Entries of a tag, without it. */
const underTag = (tag: string, entries: readonly (readonly [string, number])[]): [string, number][] =>
  entries.flatMap(([name, value]): [string, number][] =>
    name.startsWith(prefixOf(tag)) ? [[name.slice(prefixOf(tag).length), value]] : [],
  );

const ofTag = (tag: string, metrics: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(underTag(tag, Object.entries(metrics)));

const nothingOf = (metrics: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.keys(metrics).map((name) => [name, NaN]));

const withoutGaps = (metrics: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics).filter(([, value]) => !Number.isNaN(value)));

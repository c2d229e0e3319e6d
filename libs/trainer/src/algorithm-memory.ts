/** @file What an algorithm keeps between iterations: numbers by name, part of the state of a run. */
import { listTrained } from '@espalier/contracts/mixing';
import type { AlgorithmMemory } from '@espalier/plugin-kit';
import type { RunContext } from './run-context.js';
import type { TrainerState } from './trainer-state.js';

type MemoryParts = Pick<RunContext, 'spec' | 'algorithm' | 'algorithmParams' | 'state'>;

/** The memory of an iteration: what is stored of the names that the algorithm has under these options, else their start. */
export function memoryOf({ spec, algorithm, algorithmParams, state }: MemoryParts): AlgorithmMemory {
  const tags = listTrained(spec).map(({ tag = '' }) => tag);
  const start = algorithm.startMemory?.(algorithmParams, tags) ?? {};
  return Object.fromEntries(
    Object.entries(start).map(([name, value]) => [name, state.memory?.[name] ?? value]),
  );
}

/** The memory after an iteration, as part of the state; nothing where the algorithm keeps nothing. */
export function nextMemory(
  { algorithm, algorithmParams }: MemoryParts,
  memory: AlgorithmMemory,
  metrics: Readonly<Record<string, number>>,
): Pick<TrainerState, 'memory'> {
  if (Object.keys(memory).length === 0) return {};
  return { memory: algorithm.nextMemory?.(memory, metrics, algorithmParams) ?? memory };
}

/** Reports the numbers that an update used: `klCoefficient` as `algorithm/kl_coefficient`; a tag stays as it is. */
export const memoryMetrics = (memory: AlgorithmMemory): Record<string, number> =>
  Object.fromEntries(
    Object.entries(memory).map(([name, value]) => {
      const [own = '', ...tag] = name.split('/');
      const words = own.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [['algorithm', words, ...tag].join('/'), value];
    }),
  );

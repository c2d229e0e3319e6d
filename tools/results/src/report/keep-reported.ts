/** @file Seeds that were reported earlier and whose run folders are gone. */
import type { EntryResult, SeedResult } from '../collect/result.js';

/**
 * Adds the reported seeds that are missing in `collected`, if the command that trains them is still the same.
 * Machines are named together; the rest of the entry is that of `collected`.
 */
export function keepReported(collected: EntryResult, reported: EntryResult | undefined): EntryResult {
  if (reported === undefined) return collected;
  const kept = seedsToKeep(collected, reported);
  if (kept.length === 0) return collected;
  const machines = [...new Set([...reported.machine.split(' and '), collected.machine])];
  return {
    ...collected,
    machine: machines.join(' and '),
    seeds: [...collected.seeds, ...kept].sort((a, b) => a.seed - b.seed),
  };
}

function seedsToKeep(collected: EntryResult, reported: EntryResult): SeedResult[] {
  const [any] = collected.seeds;
  if (any === undefined || reported.threads !== collected.threads) return [];
  const found = new Set(collected.seeds.map(({ seed }) => seed));
  return reported.seeds.filter(
    (one) =>
      !found.has(one.seed) && one.seed <= collected.seedsAsked && withoutSeed(one) === withoutSeed(any),
  );
}

const withoutSeed = ({ command }: SeedResult): string => command.replace(/--set seed=\d+/, '');

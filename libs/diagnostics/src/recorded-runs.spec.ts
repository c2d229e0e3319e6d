/**
 * @file The rules on recorded runs: docs/results holds the metrics of runs that learned and of runs that collapsed, none
 * made for this. Reasoning has the length of the reply there, and distinct thoughts stand for distinct bigrams.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assessHealth, type Health, startHealth } from './health.js';
import type { HealthInput } from './observation.js';

const folder = join(import.meta.dirname, '../../../docs/results');
const curveOf: Partial<Record<HealthInput, string>> = {
  success: 'success',
  rewardDeviation: 'rewardDeviation',
  entropy: 'entropy',
  gradientNorm: 'gradientNorm',
  reasoningLength: 'responseLength',
  validFormat: 'formatValid',
  distinct: 'distinctThoughts',
  updateDrift: 'approxKl',
};
type Point = number | null | readonly [number, number] | { readonly value: number };
interface Recorded {
  readonly seeds: readonly { readonly seed: number; readonly curves?: Record<string, readonly Point[]> }[];
}

const numberOf = (point: Point | undefined): number | undefined => {
  if (point === undefined || point === null) return undefined;
  if (typeof point === 'number') return point;
  return 'value' in point ? point.value : point[1];
};

/** The health after each check. */
function replay(curves: Record<string, readonly Point[]>): Health[] {
  const healths: Health[] = [];
  for (const [index] of (curves['success'] ?? []).entries()) {
    const values = Object.fromEntries(
      Object.entries(curveOf).map(([input, name]) => [input, numberOf(curves[name]?.[index])]),
    );
    const before = healths.at(-1) ?? startHealth;
    healths.push(
      assessHealth(before, { step: index + 1, values }, { patience: 2, recovery: 3, rules: {} }).health,
    );
  }
  return healths;
}

const runs = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .flatMap((file) => {
    const { seeds } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded;
    return seeds.flatMap(({ seed, curves }) =>
      curves === undefined ? [] : [{ name: `${file.slice(0, -5)} ${seed}`, healths: replay(curves) }],
    );
  });
const collapsing = /^collapse-(?!noise-per-trajectory)/;
// every reply ends as one shortcut, which pays for two states in five (docs/log/2026-11.md): neither healthy nor a collapse on purpose
const shortcut = /^smollm2-countdown-/;
const healthy = runs.filter(({ name }) => !collapsing.test(name) && !shortcut.test(name));
const isCollapsed = ({ state }: Health): boolean => state === 'collapsed';

describe('recorded runs', () => {
  it('are enough to say something', () => {
    expect(healthy.length).toBeGreaterThanOrEqual(24);
    expect(runs.filter(({ name }) => collapsing.test(name)).length).toBeGreaterThanOrEqual(3);
  });

  it('that learn are never called a collapse, and are rarely warned of', () => {
    expect(healthy.filter(({ healths }) => healths.some(isCollapsed)).map(({ name }) => name)).toEqual([]);
    // success on Countdown is low and swings with the sums of a step, between 5 and 54 % (docs/learn/collapse.md)
    const isNoisy = (name: string): boolean => name.startsWith('countdown');
    const all = healthy.filter(({ name }) => !isNoisy(name)).flatMap(({ healths }) => healths);
    const warned = all.filter(({ state }) => state === 'warning');
    expect(warned.length / all.length).toBeLessThan(0.02);
  });

  it.each([
    ['collapse-epochs-grpo 1', 2],
    ['collapse-epochs-starpo-s 1', 2],
    ['collapse-noise-per-group 1', 5],
    ['smollm2-countdown-grpo 2', 17],
    ['smollm2-countdown-starpo-s 1', 15],
  ])('that collapse are called so: %s at check %i', (name, check) => {
    const found = runs.find((run) => run.name === name)?.healths.findIndex(isCollapsed);
    expect((found ?? -1) + 1).toBe(check);
  });
});

/** @file What is asked when stored trajectories are scored again, and what moved. Pure functions. */
import type { Rescored } from './use-rescored.js';

/** A reward as it stands in a run: its plugin, and the options that are set. */
export type RewardEntry = Readonly<Record<string, unknown>>;

/** Most steps that one job takes, as the protocol has it, whose schemas the page does without; a checkpoint gives each a row. */
export const mostSteps = (hasCheckpoint: boolean): number => (hasCheckpoint ? 200 : 2000);

/** Rewards with one option set or, without a value, left out; an empty path sets or takes away the whole. */
export function withOption(
  rewards: readonly RewardEntry[],
  at: number,
  path: readonly (string | number)[],
  value: unknown,
): RewardEntry[] {
  const change = (held: unknown, [key, ...rest]: readonly (string | number)[]): unknown => {
    if (key === undefined) return value;
    const { [String(key)]: old, ...others } = (held ?? {}) as Record<string, unknown>;
    const next = change(old, rest);
    return next === undefined ? others : { ...others, [String(key)]: next };
  };
  return rewards.flatMap((reward, index) => {
    const next = index === at ? change(reward, path) : reward;
    return next === undefined ? [] : [next as RewardEntry];
  });
}

/** Such as "steps 0–4, 8". */
export function tellSteps(steps: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const step of steps) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === step - 1) last[1] = step;
    else parts.push([step, step]);
  }
  const told = parts.slice(0, 4).map(([from, to]) => (from === to ? String(from) : `${from}–${to}`));
  const more = parts.length > 4 ? `, … to ${steps.at(-1)}` : '';
  return `${steps.length === 1 ? 'step' : 'steps'} ${told.join(', ')}${more}`;
}

/** The trajectories whose total changed most, largest first; equal ones are none. */
export function movedMost(totals: Rescored['rescoredTotals'], most: number) {
  return (totals ?? [])
    .flatMap(({ trajectory, stored, rescored }) =>
      stored === null || rescored === null || Math.abs(rescored - stored) < 1e-9
        ? []
        : [{ trajectory, stored, rescored }],
    )
    .sort((a, b) => Math.abs(b.rescored - b.stored) - Math.abs(a.rescored - a.stored))
    .slice(0, most);
}

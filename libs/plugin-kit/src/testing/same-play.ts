/** @file Compares two plays that must be equal; the error names the first difference and a remedy for the author. */
import { isDeepStrictEqual } from 'node:util';
import type { Observation, StepResult } from '../define-environment.js';

/** Everything observed in one episode. */
export interface Play {
  readonly observations: readonly Observation[];
  readonly results: readonly StepResult[];
  readonly renders: readonly string[];
  readonly facts: readonly unknown[];
  readonly actions: readonly string[];
}

export const seedRemedy =
  'something other than the seeds has an effect, such as Math.random(), a clock or a variable outside `create`; draw the initial state from createStream(seeds.state) and noise from createStream(seeds.noise), and create both streams in `reset`';
export const noiseRemedy =
  '`reads` states noise: false, but noise has an effect; leave it out, or draw from createStream(seeds.state) only';
export const resetRemedy =
  '`reset` keeps state of the last episode; reset every variable of the instance, including streams';

/** @throws with the first difference and the remedy */
export function expectSamePlay(left: Play, right: Play, seed: number, given: string, remedy: string): void {
  const parts = ['observations', 'renders', 'facts', 'actions', 'results'] as const;
  const length = Math.max(left.observations.length, right.observations.length);
  for (let index = 0; index < length; index++) {
    for (const part of parts) {
      const first = left[part][index];
      const second = right[part][index];
      if (isDeepStrictEqual(first, second)) continue;
      throw new Error(
        `state seed ${seed}, ${given}: ${part}[${index}] was ${show(first)}, then ${show(second)}; ${remedy}`,
      );
    }
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}

/** @file Two plays that must be equal: where they part, and what an author does about it. */
import { isDeepStrictEqual } from 'node:util';
import type { Observation, StepResult } from '../define-environment.js';

/** What was seen in one episode. */
export interface Play {
  readonly observations: readonly Observation[];
  readonly results: readonly StepResult[];
  readonly renders: readonly string[];
  readonly facts: readonly unknown[];
  readonly actions: readonly string[];
}

export const ofChance =
  'something besides the seeds decides, such as Math.random(), a clock or a variable outside `create`; draw the level from createStream(seeds.state) and chance inside the episode from createStream(seeds.noise), both made anew in `reset`';
export const ofNoise =
  '`reads` states noise: false, but chance decides; leave that out, or draw from createStream(seeds.state) alone';
export const ofMemory =
  '`reset` leaves something of the last episode behind; set every variable of the instance anew in `reset`, streams included';

/** @throws naming the first difference and the advice */
export function expectSamePlay(left: Play, right: Play, seed: number, given: string, advice: string): void {
  const parts = ['observations', 'renders', 'facts', 'actions', 'results'] as const;
  const length = Math.max(left.observations.length, right.observations.length);
  for (let index = 0; index < length; index++) {
    for (const part of parts) {
      const [first, second] = [left[part][index], right[part][index]];
      if (isDeepStrictEqual(first, second)) continue;
      throw new Error(
        `state seed ${seed}, ${given}: ${part}[${index}] was ${show(first)}, then ${show(second)}; ${advice}`,
      );
    }
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}

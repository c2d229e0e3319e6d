/** @file The agent's replies on the first fixed states, before and after training. */
import { join } from 'node:path';
import { readTrajectories } from '@espalier/recorder';

export interface Sample {
  readonly step: number;
  /** index of the fixed state */
  readonly state: number;
  readonly success: boolean;
  readonly stopReason: string;
  readonly turns: readonly { readonly observation: string; readonly response: string }[];
}

const states = 2;

/** Takes the trajectories of the first states from the validations of two steps. */
export function collectSamples(folder: string, steps: readonly number[]): Sample[] {
  return steps.flatMap((step) =>
    readTrajectories(join(folder, 'trajectories'), { step })
      .filter(({ split, group }) => split === 'validation' && group < states)
      .sort((a, b) => a.group - b.group)
      .map(({ group, success, stopReason, turns }) => ({
        step,
        state: group,
        success,
        stopReason,
        turns: turns.map(({ observation, response }) => ({ observation, response })),
      })),
  );
}

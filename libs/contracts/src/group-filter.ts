/**
 * @file Options of the filter that chooses which groups a run learns from, whatever its algorithm, and the reason of a
 * dropped group. How groups are ranked: libs/objective/src/advantage/filter.ts.
 */
import { z } from 'zod';

/** Why the trajectories of a group did not enter the batch. */
export interface DroppedGroup {
  /** a short code, e.g. `low-variance` */
  readonly reason: string;
  /** what decided, e.g. its deviation and its rank */
  readonly numbers: Readonly<Record<string, number>>;
}

const groupFilterKinds = ['ratio', 'top-k', 'top-p', 'top-p-softmax', 'min-p', 'absolute'] as const;
export type GroupFilterKind = (typeof groupFilterKinds)[number];

/** Says what the value of a kind has to be; undefined: it fits. */
export function findFilterProblem(kind: GroupFilterKind, value: number): string | undefined {
  if (kind === 'top-k') return Number.isInteger(value) && value >= 1 ? undefined : 'an integer of at least 1';
  if (kind === 'absolute') return value >= 0 && Number.isFinite(value) ? undefined : 'a number of at least 0';
  return value > 0 && value <= 1 ? undefined : 'a number in (0, 1]';
}

export const groupFilter = z
  .strictObject({
    kind: z
      .enum(groupFilterKinds)
      .describe(
        'ratio: the share `value` of all groups; top-k: `value` groups; top-p: the fewest with the share `value` of the sum of scores; top-p-softmax: the same over softmax(scores); min-p: scores of at least `value` times the largest; absolute: scores of at least `value`. The score of a group is the standard deviation of its totals',
      ),
    value: z.number().describe('share, number of groups, or score, as `kind` says'),
    zeros: z
      .enum(['drop', 'keep'])
      .default('drop')
      .describe('drop: groups whose totals are all equal are never kept; keep: they are candidates too'),
    noiseSeeds: z
      .int()
      .min(0)
      .max(64)
      .refine((count) => count !== 1, 'expected 0 (off) or at least 2, as one has no variance')
      .default(0)
      .describe(
        'the actions of each trajectory are repeated with this many seeds of the environment noise, and the variance that this explains is taken off; costs as many episodes of environment steps, and no tokens; 0 = off, else at least 2',
      ),
    lossScaling: z
      .enum(['none', 'linear', 'sqrt'])
      .default('none')
      .describe(
        'advantages times the kept share of the groups of a step, or its root, so that few groups move the policy less; replaced ones (rollout.resample) do not count, so a full batch has weight 1',
      ),
    reweight: z
      .enum(['none', 'score'])
      .default('none')
      .describe('score: advantages of a group times its score / the largest score kept'),
  })
  .superRefine(({ kind, value }, context) => {
    const expected = findFilterProblem(kind, value);
    if (expected !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['value'],
        message: `expected ${expected} with kind ${kind}`,
      });
  });
export type GroupFilterSpec = z.output<typeof groupFilter>;

/**
 * @file Options of the importance correction between sampler and trainer, whatever the algorithm. How tokens are
 * weighted: libs/objective/src/sampler-correction.ts.
 */
import { z } from 'zod';

const samplerCorrectionKinds = [
  'off',
  'truncated',
  'mask',
  'icepop',
  'sequence-truncated',
  'sequence-mask',
] as const;
export type SamplerCorrectionKind = (typeof samplerCorrectionKinds)[number];

export const samplerCorrection = z
  .strictObject({
    use: z
      .enum(samplerCorrectionKinds)
      .default('off')
      .describe(
        'off: log-probabilities at sampling are the old ones of every ratio. Otherwise the trainer computes the old ones itself, and each token weighs trainer / sampler probability: truncated at maxRatio (TIS); 0 above it (mask); 0 outside [minRatio, maxRatio] (icepop); or, for all tokens of a trajectory, the product of its ratios, truncated (sequence-truncated) or 0 above maxRatio (sequence-mask)',
      ),
    maxRatio: z
      .number()
      .gt(1)
      .max(1e6)
      .optional()
      .describe('bound above; default: 2 for truncated and mask, 5 for icepop, 3 for sequences'),
    minRatio: z.number().gt(0).lt(1).optional().describe('bound below, of icepop only; default: 0.5'),
  })
  .describe(
    'corrects for a sampler that computes other probabilities than the trainer with the same weights',
  );

type SamplerCorrectionOptions = z.output<typeof samplerCorrection>;

/** A correction with its bounds. */
export interface SamplerCorrection {
  readonly use: Exclude<SamplerCorrectionKind, 'off'>;
  readonly maxRatio: number;
  /** 0: none */
  readonly minRatio: number;
}

const defaultMaxRatio = {
  truncated: 2,
  mask: 2,
  icepop: 5,
  'sequence-truncated': 3,
  'sequence-mask': 3,
} as const satisfies Record<SamplerCorrection['use'], number>;

/** Completes the bounds; undefined: there is no correction. */
export function resolveSamplerCorrection({
  use,
  maxRatio,
  minRatio,
}: SamplerCorrectionOptions): SamplerCorrection | undefined {
  if (use === 'off') return undefined;
  return {
    use,
    maxRatio: maxRatio ?? defaultMaxRatio[use],
    minRatio: use === 'icepop' ? (minRatio ?? 0.5) : 0,
  };
}

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
      .optional()
      .describe(
        'off: log-probabilities at sampling are the old ones of every ratio. Otherwise the trainer computes the old ones itself, and each token weighs trainer / sampler probability: truncated at maxRatio (TIS); 0 above it (mask); 0 outside [minRatio, maxRatio] (icepop); or, for all tokens of a trajectory, the product of its ratios, truncated (sequence-truncated) or 0 above maxRatio (sequence-mask); default: truncated where sampler and trainer of this process differ in precision (device.sampling), else off',
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

/** What models of a run are computed in. */
interface ComputedPrecision {
  /** of sampling; default float32 */
  readonly sampling?: string | undefined;
  /** of training; default float32 */
  readonly precision?: string | undefined;
}

interface ComputedRun {
  readonly device: ComputedPrecision;
  /** a server that computes the model; absent: the device does */
  readonly engine?: unknown;
}

interface CorrectedRun extends ComputedRun {
  readonly update: { readonly samplerCorrection: SamplerCorrectionOptions };
}

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

const defaultMinRatio = 0.5;

/** Whether sampler and trainer are known to differ, as all do that round to bf16 or int8; of a server nothing is known. */
export function samplerDiffers({ device, engine }: ComputedRun): boolean {
  const { sampling = 'float32', precision = 'float32' } = device;
  return engine === undefined && (sampling === 'bf16' || sampling !== precision);
}

/** Fills in what was not written: the kind by the precisions, bounds by the kind. */
export function completeSamplerCorrection({ update, ...run }: CorrectedRun): SamplerCorrectionOptions & {
  readonly use: SamplerCorrectionKind;
} {
  const { maxRatio, minRatio } = update.samplerCorrection;
  const use = update.samplerCorrection.use ?? (samplerDiffers(run) ? 'truncated' : 'off');
  const high = maxRatio ?? (use === 'off' ? undefined : defaultMaxRatio[use]);
  const low = minRatio ?? (use === 'icepop' ? defaultMinRatio : undefined);
  return {
    use,
    ...(high === undefined ? {} : { maxRatio: high }),
    ...(low === undefined ? {} : { minRatio: low }),
  };
}

/** Takes out what would be filled in again. */
export function forgetSamplerDefaults({ update, ...run }: CorrectedRun): SamplerCorrectionOptions {
  const { use, maxRatio, minRatio } = update.samplerCorrection;
  const derived = completeSamplerCorrection({ update: { samplerCorrection: {} }, ...run });
  const ofKind = completeSamplerCorrection({ update: { samplerCorrection: { use } }, ...run });
  return {
    ...(use === derived.use ? {} : { use }),
    ...(maxRatio === ofKind.maxRatio ? {} : { maxRatio }),
    ...(minRatio === ofKind.minRatio ? {} : { minRatio }),
  };
}

/** The correction of a run; undefined: there is none. */
export function resolveSamplerCorrection(run: CorrectedRun): SamplerCorrection | undefined {
  const { use, maxRatio = Infinity, minRatio = 0 } = completeSamplerCorrection(run);
  if (use === 'off') return undefined;
  return { use, maxRatio, minRatio: use === 'icepop' ? minRatio : 0 };
}

/**
 * @file The angles by which the rotary embedding turns a head from one position to the next, plain and stretched for long
 * contexts. Every step is rounded to float32 as in Hugging Face's transformers, whatever the precision of the model.
 */
import type { RotaryScaling, RotaryShape } from '../families/model-family.js';

const { fround } = Math;

/** How a head is turned. */
export interface RotaryFrequencies {
  /** radians per position, of each pair of entries */
  readonly angles: Float32Array; // [d/2]
  /** factor of cosines and sines */
  readonly amplitude: number;
}

/** Computes the frequencies of a head. @see Su et al. 2021, arXiv:2104.09864 */
export function rotaryFrequencies({ theta, scaling }: RotaryShape, headSize: number): RotaryFrequencies {
  const wavelengths = Float32Array.from(
    { length: headSize / 2 },
    (_, i) => theta ** fround((2 * i) / headSize),
  );
  const plain = wavelengths.map((length) => 1 / length);
  switch (scaling?.type) {
    case undefined:
      return { angles: plain, amplitude: 1 };
    case 'linear':
      return { angles: plain.map((angle) => angle / scaling.factor), amplitude: 1 };
    case 'llama3':
      return { angles: plain.map((angle) => stretchLlama3(angle, scaling)), amplitude: 1 };
    case 'yarn': {
      const range = interpolatedRange(scaling, theta, headSize);
      return {
        angles: wavelengths.map((length, i) => stretchYarn(length, i, scaling.factor, range)),
        amplitude: scaling.attentionFactor,
      };
    }
  }
}

/** Slow angles are divided by the factor, fast ones kept, those between interpolated. @see arXiv:2407.21783, section 3 */
function stretchLlama3(angle: number, scaling: RotaryScaling & { type: 'llama3' }): number {
  const { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalLength } = scaling;
  const wavelength = fround(fround(2 * Math.PI) * fround(1 / angle));
  if (wavelength < originalLength / high) return angle;
  if (wavelength > originalLength / low) return fround(angle / factor);
  const turns = fround(fround(1 / wavelength) * originalLength);
  const kept = fround(fround(turns - low) / fround(high - low));
  return fround(fround(fround(fround(1 - kept) * angle) / factor) + fround(kept * angle));
}

/** The dimensions between those that are kept and those that are divided by the factor. */
function interpolatedRange(
  { originalLength, betaFast, betaSlow, isTruncated }: RotaryScaling & { type: 'yarn' },
  theta: number,
  headSize: number,
): readonly [low: number, high: number] {
  const dimensionOf = (turns: number): number =>
    (headSize * Math.log(originalLength / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
  const first = dimensionOf(betaFast);
  const last = dimensionOf(betaSlow);
  const low = Math.max(isTruncated ? Math.floor(first) : first, 0);
  const high = Math.min(isTruncated ? Math.ceil(last) : last, headSize - 1);
  return [low, high === low ? high + 0.001 : high];
}

/** @see Peng et al. 2023, arXiv:2309.00071, section 3.2 */
function stretchYarn(
  wavelength: number,
  dimension: number,
  factor: number,
  [low, high]: readonly [number, number],
): number {
  const ramp = fround(fround(dimension - fround(low)) / fround(high - low));
  const kept = fround(1 - Math.min(1, Math.max(0, ramp)));
  const slow = fround(1 / fround(factor * wavelength));
  return fround(fround(slow * fround(1 - kept)) + fround(fround(1 / wavelength) * kept));
}

/** @file What the update did to one token, and how far it is from the reference, in sentences. */
import { formatNumber } from '../format/numbers.js';
import { clipMeaning, clipSides } from './measures.js';

export interface TokenFacts {
  readonly ratio: number | undefined;
  readonly advantage: number | undefined;
  readonly loss: number | undefined;
  /** −∂(weighted loss)/∂(log-probability) */
  readonly gradient: number | undefined;
  /** code of a page */
  readonly clipped: number | undefined;
}

/** undefined: nothing was recorded. */
export function spellLoss({ ratio, advantage, loss, gradient, clipped }: TokenFacts): string | undefined {
  if (advantage === undefined || loss === undefined || gradient === undefined) return undefined;
  const side = clipSides[clipped ?? 0] ?? '';
  const from =
    ratio === undefined
      ? `Advantage ${formatNumber(advantage)}`
      : `Ratio ${formatNumber(ratio)} with advantage ${formatNumber(advantage)}`;
  const bound = side === '' ? '' : `; clipped, as ${clipMeaning[side] ?? side}`;
  const result =
    gradient === 0 ? 'its gradient is 0' : `the update made it ${gradient > 0 ? 'more' : 'less'} likely`;
  return `${from} gives loss ${formatNumber(loss)}${bound}: ${result}.`;
}

/** undefined: there is no reference. @param kl k1 of the token, which may be below 0 */
export const spellKl = (kl: number | undefined): string | undefined =>
  kl === undefined
    ? undefined
    : `KL from the reference ${formatNumber(kl)} nats (k1: sampler − reference log-probability).`;

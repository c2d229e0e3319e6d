/** @file Bending numbers smoothly into a range: cap · tanh(x / cap), as Gemma 2 does with scores and logits. */
import { scale, square, sub, tanh, type Tensor } from '@espalier/graph';
import type { AttentionShape } from '../families/model-family.js';

/** Bends entries into (−cap, cap). @see Bello et al. 2016, arXiv:1611.09940, section 3 */
export function softCap(x: Tensor, cap: number): Tensor {
  return scale(tanh(scale(x, 1 / cap)), cap);
}

/** Bends scores, if a layer does. */
export function capScores(scores: Tensor, { softCap: cap }: AttentionShape): Tensor {
  return cap === undefined ? scores : softCap(scores, cap);
}

/** The slope of {@link softCap} from its result. */
export function softCapSlope(capped: Tensor, cap: number): Tensor {
  return sub(1, square(scale(capped, 1 / cap)));
}

import { cast, type Tensor } from '@espalier/graph';

/** Turns a condition into 1 and 0 of the dtype of `like`. */
export function indicator(condition: Tensor, like: Tensor): Tensor {
  return cast(condition, like.dtype);
}

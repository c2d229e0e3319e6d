/**
 * @file The legend of axis letters used in every shape comment.
 * A ragged axis carries a star (`T*`); `[]` is a scalar.
 */
export const axes = {
  B: 'sequences in a batch',
  T: 'tokens of a sequence',
  P: 'cached positions before the new tokens (in engine code); prompts of a batch (in rollout code)',
  N: 'loss positions of a batch, flattened',
  V: 'vocabulary',
  D: 'model width',
  F: 'width of the feed-forward layer',
  H: 'query heads',
  K: 'key/value heads',
  d: 'width of one head',
  L: 'layers',
  G: 'attempts per prompt',
} as const;

/**
 * @file The axis letters of all shape comments.
 * A star marks a ragged axis (`T*`); `[]` is a scalar.
 */
export const axes = {
  B: 'sequences in a batch',
  T: 'tokens in a sequence',
  P: 'cached positions before the new tokens (in engine code); prompts of a batch (in rollout code)',
  N: 'loss positions in a batch, flattened',
  V: 'vocabulary',
  D: 'model width',
  F: 'width of the feed-forward layer',
  H: 'query heads',
  K: 'key/value heads',
  d: 'width of one head',
  L: 'layers',
  G: 'trajectories per prompt',
} as const;

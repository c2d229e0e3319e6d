/**
 * @file The axis letters of all shape comments.
 * A star marks a ragged axis (`T*`); `[]` is a scalar.
 */
export const axes = {
  A: 'rows of the cache; in prefix attention, shared prefixes',
  B: 'sequences in a batch; in prefill, shared prefixes',
  C: 'blocks of the vocabulary',
  D: 'model width',
  E: 'sequence ends: rows of the last tokens in prefill',
  F: 'width of the feed-forward layer',
  G: 'trajectories per prompt; in sampling graphs, query heads per key/value head',
  H: 'query heads',
  K: 'key/value heads',
  L: 'layers',
  M: 'members per shared prefix',
  N: 'rows, flattened: of dense products in sampling graphs, of loss positions in training graphs',
  P: 'cached positions before the new tokens; in packed rows and rollout code, prompts of a batch',
  Q: 'positions of a shared prefix',
  R: 'sequences in a sampling step; in packed rows, positions of a block',
  S: 'keys that are attended to',
  T: 'tokens in a sequence',
  U: 'packed rows, one per token; those of a shared prefix once',
  V: 'vocabulary',
  d: 'width of one head',
  m: 'query heads per key/value head, in packed rows',
} as const;

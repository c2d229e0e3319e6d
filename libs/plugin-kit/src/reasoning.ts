/** @file For rewards that read the reasoning: think blocks with the tokens they are, and what they claim. */
export type { Claim, ClaimKind } from './reasoning/claim.js';
export { type Clause, type Mood, readClauses } from './reasoning/clauses.js';
export { type NamedMove, plainMove, readMoves } from './reasoning/moves.js';
export { judgeClaim, readClaims, type StatedClaim, type Verdict } from './reasoning/read-claims.js';
export { readStatements } from './reasoning/statements.js';
export {
  readThinkBlock,
  readThinkBlocks,
  saysSomething,
  type TextRange,
  type ThinkBlock,
  type ThinkPart,
  thinkParts,
  tokensOf,
} from './reasoning/think-block.js';
export { type Word, wordsOf } from './reasoning/words.js';
export { readWorld, type World } from './reasoning/world.js';

/** @file For rewards that read the reasoning: think blocks with the tokens they are, and what they claim. */
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

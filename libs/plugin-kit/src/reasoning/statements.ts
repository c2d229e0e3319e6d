/** @file What the reasoning of a turn states about now. */
import type { Turn } from '@espalier/contracts';
import { readClaims, type StatedClaim } from './read-claims.js';
import { readThinkBlock } from './think-block.js';

/** Reads what a turn states about now: in its part `<observation>` where there is one, else in the whole block. */
export function readStatements(turn: Turn): StatedClaim[] {
  const block = readThinkBlock(turn);
  if (block === undefined) return [];
  const { start, end } = block.parts.observation ?? block;
  const { prediction } = block.parts;
  const isPredicted = (claim: StatedClaim): boolean =>
    prediction !== undefined && claim.start >= prediction.start && claim.end <= prediction.end;
  return readClaims(turn.response.slice(start, end), start, turn.facts).filter(
    (claim) => claim.mood === 'now' && !isPredicted(claim),
  );
}

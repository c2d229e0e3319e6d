/** @file All claims of a piece of reasoning, by the clauses they stand in. */
import type { Claim } from './claim.js';
import { type Mood, readClauses } from './clauses.js';
import { gridClaims } from './grid-claims.js';
import { houseClaims, topicOf } from './house-claims.js';
import { nameClaims } from './name-claims.js';
import { numberClaims } from './number-claims.js';
import { priceClaims } from './price-claims.js';
import { sudokuClaims } from './sudoku-claims.js';
import { readWorld, type World } from './world.js';

/** A claim and how its clause is meant. */
export interface StatedClaim extends Claim {
  readonly mood: Mood;
}

/**
 * Reads the claims of a text whose first character is at `offset`: positions, directions, adjacency, prices, numbers and
 * names, as far as the facts can tell. Hypotheses, questions and what others say are read, too; see `mood`.
 */
export function readClaims(
  text: string,
  offset: number,
  facts: Readonly<Record<string, unknown>>,
): StatedClaim[] {
  const world = readWorld(facts);
  const isHouse = world.names.has('visible');
  let topic: string | undefined;
  return readClauses(text, offset).flatMap((clause) => {
    const claims: Claim[] = [
      ...(world.grid !== undefined ? sudokuClaims(clause) : world.things.size > 0 ? gridClaims(clause) : []),
      ...numberClaims(clause, world),
      ...(hasPrices(world) ? priceClaims(clause) : []),
      ...nameClaims(clause, world),
      ...(isHouse ? houseClaims(clause, topic) : []),
    ];
    if (isHouse) topic = topicOf(clause) ?? topic;
    return claims.map((claim) => ({ ...claim, mood: clause.mood }));
  });
}

const hasPrices = ({ prices }: World): boolean =>
  prices.product !== undefined || prices.limit !== undefined || prices.results.length > 0;

/** Whether a claim holds by the facts of a turn, and what it is worth if it does. */
export interface Verdict {
  /** undefined: the facts cannot tell */
  readonly holds: boolean | undefined;
  /** the share of comparable states in which it would be false; 0: it holds in every one */
  readonly weight: number;
}

/** Judges a claim by the facts of a turn. */
export function judgeClaim(claim: Claim, facts: Readonly<Record<string, unknown>>): Verdict {
  const world = readWorld(facts);
  return { holds: claim.holds(world), weight: Math.max(0, Math.min(1, 1 - claim.chance(world))) };
}

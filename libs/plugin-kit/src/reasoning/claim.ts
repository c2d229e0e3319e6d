/**
 * @file A claim of a clause: what it says about a world, and how often it would hold by chance. A claim that holds in
 * every comparable state says nothing, so its weight is the share of those in which it would be false.
 */
import type { TextRange } from './think-block.js';
import type { World } from './world.js';

/**
 * What a claim is about: `position`, where a thing is or what it is on; `direction`, also with a distance; `adjacency`;
 * `number`, a count, a target or a calculation; `price`; `grid`, what a grid of numbers holds; `name`, which of two is
 * better; `house`, what is held, open, in sight or lies where.
 */
export type ClaimKind =
  | 'position'
  | 'direction'
  | 'adjacency'
  | 'number'
  | 'price'
  | 'grid'
  | 'name'
  | 'house';

export interface Claim extends TextRange {
  readonly kind: ClaimKind;
  /** equal for claims that say the same */
  readonly key: string;
  /** undefined: the world cannot tell */
  readonly holds: (world: World) => boolean | undefined;
  /** the share of comparable states in which it would hold, 0..1 */
  readonly chance: (world: World) => number;
}

/** The opposite of a claim. */
export function deny(claim: Claim): Claim {
  return {
    ...claim,
    key: `not ${claim.key}`,
    holds: (world) => {
      const holds = claim.holds(world);
      return holds === undefined ? undefined : !holds;
    },
    chance: (world) => 1 - claim.chance(world),
  };
}

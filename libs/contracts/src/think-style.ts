/**
 * @file Parts of the think block that a prompt demands, after VAGEN (Wang et al. 2025, arXiv:2510.16907, section 3): state
 * estimation says what is there, transition modelling what the action will change, world modelling both.
 */

/** Names of the parts, as tags inside the think block. */
export const thinkParts = ['observation', 'reasoning', 'prediction'] as const;
export type ThinkPart = (typeof thinkParts)[number];

/** The parts of each style, in order. */
const partsOfStyle = {
  free: [],
  'state-estimation': ['observation', 'reasoning'],
  'transition-modelling': ['reasoning', 'prediction'],
  'world-modelling': ['observation', 'reasoning', 'prediction'],
} as const satisfies Readonly<Record<string, readonly ThinkPart[]>>;

export type ThinkStyle = keyof typeof partsOfStyle;
export const thinkStyles = Object.keys(partsOfStyle) as [ThinkStyle, ...ThinkStyle[]];

/** Lists the parts that a prompt demands; a prompt recorded before there were styles demands none. */
export const demandedParts = ({
  thinkStyle = 'free',
}: {
  readonly thinkStyle?: ThinkStyle | undefined;
}): readonly ThinkPart[] => partsOfStyle[thinkStyle];

/** @file How one line is told from another: eight colours of the theme, then the same dashed. */

export const lineColor = (index: number): string => `--data-${(index % 8) + 1}`;
export const lineDash = (index: number): number[] => (index < 8 ? [] : [5, 3]);

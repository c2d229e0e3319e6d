/** @file Text of models and people as the page shows it; what cannot be seen becomes a mark. */
import { splitVisible, type TextPart, toVisible } from '@espalier/contracts/visible-text';

export { splitVisible, type TextPart, toVisible };

/** A token as one line: spaces and newlines are seen, too. */
export const toVisibleToken = (text: string): string =>
  toVisible(text).replaceAll('\n', '⏎').replaceAll('\t', '⇥').replaceAll(' ', '·');

/**
 * @file The texts of one turn between two replies: the end of the reply before, the user's message, and what comes before the
 * next reply. A message may open a conversation at any turn; then it has the instruction, and the turn keeps its number.
 */
import type { Observation } from '@espalier/plugin-kit';
import type { ChatFrame } from './chat-frame.js';
import { joinPieces } from './encode-message.js';
import {
  forcedTag,
  openingPieces,
  type Piece,
  type PromptOptions,
  rewardPieces,
  turnPieces,
} from './prompt.js';

/** The state that opens a turn. */
export interface ShownState {
  readonly observation: Pick<Observation, 'text' | 'legend' | 'actions'>;
  readonly actionsLeft: number;
  /** reward of the previous turn; ignored in the first turn of a conversation */
  readonly reward?: number;
}

/** Which message of which conversation. */
export interface MessagePlace {
  /** from 0, in the episode */
  readonly turn: number;
  /** it opens the conversation */
  readonly isFirst: boolean;
}

/** Lists the texts of a turn, from the end of the last reply to the forced tag. */
export function messagePieces(
  options: PromptOptions,
  frame: ChatFrame,
  shown: ShownState,
  place: MessagePlace,
): readonly Piece[] {
  const template = (text: string): Piece => ({ kind: 'template', text });
  const pieces = [
    template(place.isFirst ? frame.opening : frame.next),
    ...joinPieces(contentPieces(options, frame, shown, place)),
    template(frame.generation),
    template(forcedTag(options.format)),
  ];
  return pieces.filter(({ text }) => text !== '');
}

/** Lists the texts of a user message. */
export function contentPieces(
  options: PromptOptions,
  frame: ChatFrame,
  shown: ShownState,
  { turn, isFirst }: MessagePlace,
): readonly Piece[] {
  const state = { turn, state: shown.observation.text, actionsLeft: shown.actionsLeft };
  const system: Piece = { kind: 'template', text: frame.systemInUser };
  const opening = isFirst ? openingPieces(options, shown.observation) : [];
  const head = isFirst
    ? [system, ...(turn === 0 ? opening : opening.map(repeat))]
    : rewardPieces(options, shown.reward ?? 0);
  const pieces = [...head, ...turnPieces(options, state)].filter(({ text }) => text !== '');
  return frame.trims ? trimPieces(pieces) : pieces;
}

const repeat = ({ kind, text }: Piece): Piece => ({
  kind: kind === 'observation' ? 'repeated' : kind,
  text,
});

/** Trims the text that the pieces make; white space at its ends may be several pieces. */
function trimPieces(pieces: readonly Piece[]): readonly Piece[] {
  const first = pieces.findIndex(({ text }) => text.trim() !== '');
  const last = pieces.findLastIndex(({ text }) => text.trim() !== '');
  return pieces.slice(Math.max(0, first), last + 1).map(({ kind, text }, index, kept) => {
    const started = index === 0 ? text.trimStart() : text;
    return { kind, text: index === kept.length - 1 ? started.trimEnd() : started };
  });
}

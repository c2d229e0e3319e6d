/**
 * @file Where a chat begins, as it stands in the address: `chat` has the step, `chatTurn` a turn of the open
 * trajectory, `chatId` the conversation.
 */
import { type SearchChange, wholeNumber } from '../routing/router.js';

/** What a conversation begins behind. */
export interface ChatStart {
  readonly trajectory: string | undefined;
  /** from 0; undefined: a new conversation */
  readonly turn: number | undefined;
  /** the recorded reply of the turn is part of it */
  readonly isAfter: boolean;
}

export interface ChatPlace extends ChatStart {
  /** of the checkpoint, or the nearest before it; Infinity: the newest */
  readonly step: number;
  /** the conversation that is open; undefined: the newest one from this place */
  readonly conversation: string | undefined;
}

/** A conversation that begins behind no turn. */
export const newConversation: ChatStart = { trajectory: undefined, turn: undefined, isAfter: false };

export const isSameStart = (one: ChatStart, other: ChatStart): boolean =>
  one.trajectory === other.trajectory && one.turn === other.turn && one.isAfter === other.isAfter;

export const isConversationId = (text: string): boolean => /^[0-9a-f]{16}$/.test(text);

/** The id of another conversation. Pages that came without encryption have no `randomUUID`. */
export const newConversationId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The panel is closed. */
export const closedChat: SearchChange = {
  chat: undefined,
  chatTurn: undefined,
  chatAfter: undefined,
  chatId: undefined,
};

export function placeOf(search: URLSearchParams, trajectory: string | undefined): ChatPlace {
  const turn = trajectory === undefined ? undefined : wholeNumber(search.get('chatTurn'));
  const id = search.get('chatId') ?? '';
  return {
    step: wholeNumber(search.get('chat')) ?? Infinity,
    conversation: isConversationId(id) ? id : undefined,
    ...(turn === undefined || turn === 0
      ? newConversation
      : { trajectory, turn: turn - 1, isAfter: search.get('chatAfter') === '1' }),
  };
}

/** What opens a chat from a turn, from 0. */
export const fromTurn = (turn: number): SearchChange => ({
  chat: 'newest',
  chatTurn: String(turn + 1),
  chatAfter: undefined,
  chatId: undefined,
});

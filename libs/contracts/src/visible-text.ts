/**
 * @file Text of models and people, made safe to look at: characters that cannot be seen, or that change how others are
 * shown, become marks. What is returned is text for text nodes, never markup.
 */

/** A run of ordinary text, or a character that is shown as a mark with its name. */
export type TextPart = string | { readonly mark: string; readonly name: string };

/** Controls but newline and tab, directional overrides, invisible and private characters, lone surrogates. */
const unseen =
  /[\0-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\ue000-\uf8ff]|[\u{e0000}-\u{e0fff}]/gu;

/** Splits a text where something cannot be seen. */
export function splitVisible(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(unseen)) {
    if (index > end) parts.push(text.slice(end, index));
    parts.push(markOf(character));
    end = index + character.length;
  }
  if (end < text.length || parts.length === 0) parts.push(text.slice(end));
  return parts;
}

function markOf(character: string): TextPart {
  const code = character.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code < 0x20) return { mark: String.fromCharCode(0x2400 + code), name };
  if (code === 0x7f) return { mark: '␡', name };
  return { mark: `⟨${name}⟩`, name };
}

/** The same as one string, for titles. */
export const toVisible = (text: string): string =>
  splitVisible(text)
    .map((part) => (typeof part === 'string' ? part : part.mark))
    .join('');

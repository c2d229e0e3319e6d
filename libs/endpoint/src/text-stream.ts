/**
 * @file The text of a reply while it is sampled: whole characters, the stop text found, and what might still become one,
 * or a call of a tool, held back.
 */
import type { Tokenizer } from '@espalier/contracts';
import { decodePiece } from '@espalier/rollout/agents';
import type { ReplyDelta, ReplyToken } from './request.js';

/** More tokens than this never share a character. */
const longestGroup = 8;

export interface TextStreamOptions {
  readonly tokenizer: Tokenizer;
  /** the last token of the prompt */
  readonly previous: number | undefined;
  readonly stops: readonly string[];
  /** behind one of these nothing is shown before the reply is whole */
  readonly marks: readonly string[];
  /** a reply that begins with this is shown when it is whole */
  readonly opening: string | undefined;
}

export class TextStream {
  readonly tokens: ReplyToken[] = [];
  #text = '';
  #shown = 0;
  #told = 0;
  #isHeld = false;
  #pending: number[] = [];
  #before: number | undefined;
  #stop: { readonly at: number; readonly text: string } | undefined;

  constructor(readonly options: TextStreamOptions) {
    this.#before = options.previous;
  }

  /** The stop text, once it is there. */
  get stopText(): string | undefined {
    return this.#stop?.text;
  }

  /** All text so far, up to the stop text. */
  get text(): string {
    return this.#text.slice(0, this.#stop?.at);
  }

  /** Takes tokens in; true when a stop text is complete, which ends the reply behind the last token taken. */
  take(ids: readonly number[], logprobs: readonly number[]): boolean {
    const { tokenizer } = this.options;
    for (let at = this.tokens.length; at < ids.length && this.#stop === undefined; at += 1) {
      const id = ids[at] as number;
      const logprob = logprobs[at] ?? 0;
      if (tokenizer.stopTokens.includes(id)) {
        this.tokens.push({ id, text: tokenizer.decode([id]), logprob });
        continue;
      }
      this.#pending.push(id);
      const piece = decodePiece(tokenizer, Int32Array.from(this.#pending), this.#before);
      const isWhole = !piece.endsWith('\uFFFD') || this.#pending.length >= longestGroup;
      this.tokens.push({ id, text: isWhole ? piece : '', logprob });
      if (isWhole) this.#append(piece, id);
    }
    return this.#stop !== undefined;
  }

  /** What may be shown now and was not yet; at the end, all of it. */
  next(isLast: boolean): ReplyDelta {
    if (isLast && this.#pending.length > 0) this.#flush();
    const end = isLast ? this.text.length : this.#ready();
    const delta = { text: this.text.slice(this.#shown, end), tokens: this.tokens.slice(this.#told) };
    this.#shown = Math.max(this.#shown, end);
    this.#told = this.tokens.length;
    return delta;
  }

  /** Takes in the bytes of a character that was never finished. */
  #flush(): void {
    const text = decodePiece(this.options.tokenizer, Int32Array.from(this.#pending), this.#before);
    const at = this.tokens.findLastIndex(({ id }) => id === this.#pending.at(-1));
    const last = this.tokens[at];
    if (last !== undefined) this.tokens[at] = { ...last, text };
    this.#append(text, undefined);
  }

  #append(piece: string, id: number | undefined): void {
    const { stops } = this.options;
    const from = this.#text.length;
    this.#text += piece;
    this.#pending = [];
    this.#before = id ?? this.#before;
    for (const text of stops) {
      const at = this.#text.indexOf(text, Math.max(0, from - text.length + 1));
      if (at >= 0 && at < (this.#stop?.at ?? Infinity)) this.#stop = { at, text };
    }
  }

  /** Up to where the text can no longer change its meaning. */
  #ready(): number {
    const { stops, marks, opening } = this.options;
    if (this.#isHeld) return this.#shown;
    const { text } = this;
    if (opening !== undefined && (text.trim() === '' || text.trimStart().startsWith(opening))) return 0;
    const marked = marks.map((mark) => text.indexOf(mark, this.#shown)).filter((at) => at >= 0);
    if (marked.length > 0) {
      this.#isHeld = true;
      return Math.min(...marked);
    }
    const endings = [...stops, ...marks];
    const longest = Math.max(0, ...endings.map(({ length }) => length));
    for (let at = Math.max(this.#shown, text.length - longest); at < text.length; at += 1) {
      const rest = text.slice(at);
      if (endings.some((one) => one.startsWith(rest))) return at;
    }
    return text.length;
  }
}

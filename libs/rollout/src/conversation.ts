/**
 * @file The growing record of one episode: tokens with their spans, in one window or several. A window is what the model saw as
 * one sequence. While the next prompt holds all turns of the present window, it continues it; otherwise a new window begins
 * with the instruction and the turns that are left, their replies as the tokens that were sampled.
 */
import type { Span, SpanKind, Tokenizer } from '@espalier/contracts';
import { type ChatFrame, decodePiece, encodePiece } from './chat-frame.js';
import type { AppendedReply, EpisodeContext, SampledTokens } from './context.js';
import type { Chunk, MessageEncoder } from './encode-message.js';
import { messagePieces, type ShownState } from './message-pieces.js';
import type { forcedTag, PromptOptions } from './prompt.js';
import { countThinkTokens, findTextEnds } from './text-ends.js';
import type { TokenWindow } from './windows.js';

/** What all conversations of a factory share. */
export interface ConversationParts {
  readonly tokenizer: Tokenizer;
  readonly options: PromptOptions;
  readonly frame: ChatFrame;
  readonly encoder: MessageEncoder;
  /** the tag that every reply begins with, though it is not sampled */
  readonly opened: ReturnType<typeof forcedTag>;
}

interface Reply {
  readonly start: number;
  /** where the text of each token of the content ends */
  readonly textEnds: Int32Array;
  readonly end: number;
  /** behind the end of turn */
  readonly closed: number;
}

interface TokenRange {
  readonly kind: SpanKind;
  readonly tokens: ArrayLike<number>;
}

/** The prompt of a turn that may be opened. */
interface PlannedPrompt {
  readonly firstTurn: number;
  /** it continues the present window */
  readonly continues: boolean;
  /** what is not there yet */
  readonly chunks: readonly TokenRange[];
  /** tokens of the whole prompt */
  readonly length: number;
}

export class Conversation implements EpisodeContext {
  private readonly ids: number[] = [];
  private readonly logs: number[] = [];
  private readonly entropy: number[] = [];
  private readonly ranges: Span[] = [];
  private readonly replies: Reply[] = [];
  /** what each turn showed */
  private readonly states: ShownState[] = [];
  private readonly begun: TokenWindow[] = [];
  /** the last measured prompt, to avoid encoding it twice */
  private measured:
    | {
        readonly shown: ShownState;
        readonly turn: number;
        readonly room: number;
        readonly prompt: PlannedPrompt;
      }
    | undefined;

  constructor(private readonly parts: ConversationParts) {}

  get turns(): number {
    return this.states.length;
  }

  get length(): number {
    return this.ids.length;
  }

  measurePrompt(shown: ShownState, room = Infinity): number {
    return this.planPrompt(shown, room).length;
  }

  appendObservation(shown: ShownState, room = Infinity): void {
    const { continues, firstTurn, chunks } = this.planPrompt(shown, room);
    if (!continues) this.begun.push({ start: this.length, firstTurn });
    this.states.push(shown);
    for (const chunk of chunks) this.push(chunk);
  }

  appendSampled(sampled: SampledTokens): AppendedReply {
    const { tokenizer, options, frame, opened } = this.parts;
    const { tokens } = sampled;
    const start = this.length;
    const previous = this.ids.at(-1);
    const last = tokens[tokens.length - 1];
    const stopped = last !== undefined && tokenizer.stopTokens.includes(last);
    const content = tokens.subarray(0, tokens.length - (stopped ? 1 : 0));
    const text = decodePiece(tokenizer, content, previous);
    const textEnds = findTextEnds(tokenizer, content, previous);
    // a reply that had to reason and never ends it is all reasoning
    const unclosed = opened === '<think>' ? content.length : 0;
    const boundary = options.format.thinking === 'none' ? 0 : (countThinkTokens(text, textEnds) ?? unclosed);
    this.push({ kind: 'think', tokens: content.subarray(0, boundary) }, sampled, 0);
    this.push({ kind: 'answer', tokens: content.subarray(boundary) }, sampled, boundary);
    this.push({ kind: 'control', tokens: tokens.subarray(content.length) }, sampled, content.length);
    const end = this.length;
    // another stop token ends sampling but not the message
    if (last !== tokenizer.endOfTurn)
      this.push({ kind: 'template', tokens: encodePiece(tokenizer, frame.closing, this.ids.at(-1)) });
    this.replies.push({ start, textEnds, end, closed: this.length });
    return { response: opened + text, sampled: { start, end } };
  }

  appendResponseText(text: string): AppendedReply {
    const { tokenizer, frame } = this.parts;
    // the end-of-turn token is the last of the closing
    return this.appendSampled({
      tokens: encodePiece(tokenizer, text + frame.closing, this.ids.at(-1)),
    });
  }

  tokens(): Int32Array {
    return Int32Array.from(this.ids);
  }

  prompt(): Int32Array {
    return Int32Array.from(this.ids.slice(this.begun.at(-1)?.start ?? 0));
  }

  logprobs(): Float32Array {
    return Float32Array.from(this.logs);
  }

  entropies(): Float32Array {
    return Float32Array.from(this.entropy);
  }

  spans(): readonly Span[] {
    return [...this.ranges];
  }

  windows(): readonly TokenWindow[] {
    return [...this.begun];
  }

  textEnds(): Int32Array {
    const offset = this.parts.opened.length;
    const ends = new Int32Array(this.length);
    for (const { start, textEnds, end } of this.replies) {
      textEnds.forEach((at, index) => (ends[start + index] = offset + at));
      ends.fill(offset + (textEnds.at(-1) ?? 0), start + textEnds.length, end);
    }
    return ends;
  }

  /** Chooses the turns of the next prompt: as many as `rollout.context` keeps, or as fit where the oldest may be left out. */
  private planPrompt(shown: ShownState, room: number): PlannedPrompt {
    const { measured, turns: turn } = this;
    if (measured?.shown === shown && measured.turn === turn && measured.room === room) return measured.prompt;
    const { turns: most = 'all', whenFull = 'end' } = this.parts.options.context ?? {};
    const present = this.begun.at(-1)?.firstTurn ?? 0;
    let firstTurn = Math.max(present, most === 'all' ? 0 : turn - most + 1);
    let prompt = this.promptFrom(firstTurn, shown);
    while (whenFull === 'truncate' && prompt.length > room && firstTurn < turn) {
      firstTurn += 1;
      prompt = this.promptFrom(firstTurn, shown);
    }
    this.measured = { shown, turn, room, prompt };
    return prompt;
  }

  private promptFrom(firstTurn: number, shown: ShownState): PlannedPrompt {
    const window = this.begun.at(-1);
    if (window?.firstTurn === firstTurn) {
      const chunks = this.encodeTurn(shown, this.turns, false, this.ids.at(-1)).map(asShown);
      const length = this.length - window.start + lengthOf(chunks);
      return { firstTurn, continues: true, chunks, length };
    }
    const repeated: number[] = [];
    for (let turn = firstTurn; turn < this.turns; turn += 1) {
      const state = this.states[turn] as ShownState;
      for (const { tokens } of this.encodeTurn(state, turn, turn === firstTurn, repeated.at(-1)))
        repeated.push(...tokens);
      const { start = 0, closed = 0 } = this.replies[turn] ?? {};
      for (let at = start; at < closed; at += 1) repeated.push(this.ids[at] as number);
    }
    const isFirst = firstTurn === this.turns;
    const own = this.encodeTurn(shown, this.turns, isFirst, repeated.at(-1)).map(asShown);
    const chunks: TokenRange[] = [{ kind: 'template', tokens: repeated }, ...own];
    return { firstTurn, continues: false, chunks, length: lengthOf(chunks) };
  }

  private encodeTurn(
    shown: ShownState,
    turn: number,
    isFirst: boolean,
    previous: number | undefined,
  ): readonly Chunk[] {
    const { options, frame, encoder } = this.parts;
    // legend and actions may be told once, in the first state
    const observation = isFirst
      ? { ...this.states[0]?.observation, ...shown.observation }
      : shown.observation;
    const pieces = messagePieces(options, frame, { ...shown, observation }, { turn, isFirst });
    return encoder.encode(pieces, previous);
  }

  private push(chunk: TokenRange, sampled?: SampledTokens, offset = 0): void {
    const { kind, tokens } = chunk;
    if (tokens.length === 0) return;
    const start = this.length;
    for (let index = 0; index < tokens.length; index++) {
      this.ids.push(tokens[index] ?? 0);
      this.logs.push(sampled?.logprobs?.[offset + index] ?? 0);
      this.entropy.push(sampled?.entropies?.[offset + index] ?? 0);
    }
    const turn = this.turns - 1;
    const last = this.ranges.at(-1);
    const joins = last !== undefined && last.kind === kind && last.turn === turn;
    if (joins) this.ranges[this.ranges.length - 1] = { ...last, end: this.length };
    else this.ranges.push({ kind, start, end: this.length, turn });
  }
}

const asShown = ({ kind, tokens }: Chunk): TokenRange => ({
  kind: kind === 'repeated' ? 'template' : kind,
  tokens,
});

const lengthOf = (chunks: readonly TokenRange[]): number =>
  chunks.reduce((sum, { tokens }) => sum + tokens.length, 0);

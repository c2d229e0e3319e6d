/**
 * @file The conversation of one episode as token ids and spans, built turn by turn. Sampled ids are appended unchanged
 * and never re-encoded; text of the prompt format and of the environment is encoded piece by piece, so spans are exact.
 * Policies and teachers use the same builder.
 */
import { AppError, type SampleResult, type Span, type SpanKind, type Tokenizer } from '@espalier/contracts';
import type { Observation } from '@espalier/plugin-kit';
import { type ChatFrame, deriveChatFrame, encodePiece } from './chat-frame.js';
import {
  forcedTag,
  openingPieces,
  type Piece,
  type PromptOptions,
  rewardPieces,
  systemText,
  templateVariables,
  turnPieces,
} from './prompt.js';

/** The state that opens a turn. */
export interface ShownState {
  readonly observation: Pick<Observation, 'text' | 'legend' | 'actions'>;
  readonly actionsLeft: number;
  /** reward of the previous turn; ignored in the first turn */
  readonly reward?: number;
}

/** A reply as text and as a range of tokens. */
export interface AppendedReply {
  /** forced opening tag included, end-of-turn token left out */
  readonly response: string;
  /** sampled tokens `[start, end)` */
  readonly sampled: { readonly start: number; readonly end: number };
}

/** Sampled ids with their log-probabilities and entropies; 0 where absent (a teacher's text). */
export type SampledTokens = Pick<SampleResult, 'tokens'> &
  Partial<Pick<SampleResult, 'logprobs' | 'entropies'>>;

/** One growing conversation; all arrays have the length `length`. */
export interface EpisodeContext {
  /** tokens so far */
  readonly length: number;
  /** turns opened so far */
  readonly turns: number;
  /** tokens that {@link EpisodeContext.appendObservation} would add */
  measureObservation(shown: ShownState): number;
  /** Opens the next turn; ends with the forced tag. */
  appendObservation(shown: ShownState): void;
  /** Appends sampled ids unchanged; a missing end-of-turn token is added as template. */
  appendSampled(sampled: SampledTokens): AppendedReply;
  /** Appends a teacher's reply (without the forced tag) as if sampled, end of turn included. */
  appendResponseText(text: string): AppendedReply;
  tokens(): Int32Array; // [T]
  logprobs(): Float32Array; // [T]
  entropies(): Float32Array; // [T]
  spans(): readonly Span[];
}

/** The parts of the prompt that all episodes of one environment share; create once, open many contexts. */
export interface ContextFactory {
  readonly options: PromptOptions;
  /** maximum number of tokens that closing a reply can add */
  readonly closingLength: number;
  open(): EpisodeContext;
}

interface Chunk {
  readonly kind: SpanKind;
  readonly tokens: ArrayLike<number>;
}

class Conversation implements EpisodeContext {
  private readonly ids: number[] = [];
  private readonly logs: number[] = [];
  private readonly entropy: number[] = [];
  private readonly ranges: Span[] = [];
  /** the last measured observation, to avoid encoding it twice */
  private measured:
    { readonly shown: ShownState; readonly turn: number; readonly chunks: Chunk[] } | undefined;
  turns = 0;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly options: PromptOptions,
    private readonly frame: ChatFrame,
    /** template text → ids, shared by all conversations of a factory */
    private readonly encoded: Map<string, Int32Array>,
    /** the tag that every reply begins with, though it is not sampled */
    private readonly opened: ReturnType<typeof forcedTag>,
  ) {}

  get length(): number {
    return this.ids.length;
  }

  measureObservation(shown: ShownState): number {
    return this.observationChunks(shown).reduce((sum, chunk) => sum + chunk.tokens.length, 0);
  }

  appendObservation(shown: ShownState): void {
    const chunks = this.observationChunks(shown);
    this.turns += 1;
    for (const chunk of chunks) this.push(chunk);
  }

  appendSampled(sampled: SampledTokens): AppendedReply {
    const { tokens } = sampled;
    const { continuation } = this.tokenizer;
    const start = this.length;
    const previous = this.ids.at(-1);
    const last = tokens[tokens.length - 1];
    const stopped = last !== undefined && this.tokenizer.stopTokens.includes(last);
    const content = tokens.subarray(0, tokens.length - (stopped ? 1 : 0));
    const boundary = this.options.format.thinking === 'none' ? 0 : this.closingBoundary(content);
    this.push({ kind: 'think', tokens: content.subarray(0, boundary) }, sampled, 0);
    this.push({ kind: 'answer', tokens: content.subarray(boundary) }, sampled, boundary);
    this.push({ kind: 'control', tokens: tokens.subarray(content.length) }, sampled, content.length);
    const end = this.length;
    // another stop token ends sampling but not the message
    if (last !== this.tokenizer.endOfTurn) this.push({ kind: 'template', tokens: this.frame.closing });
    return {
      response: this.opened + (continuation?.decode(content, previous) ?? this.tokenizer.decode(content)),
      sampled: { start, end },
    };
  }

  appendResponseText(text: string): AppendedReply {
    return this.appendSampled({
      tokens: withEnd(encodePiece(this.tokenizer, text, this.ids.at(-1)), this.tokenizer.endOfTurn),
    });
  }

  tokens(): Int32Array {
    return Int32Array.from(this.ids);
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

  /**
   * Finds the index after the token that completes `</think>`. Without one, all of a reply that had to reason is
   * reasoning, and none of another.
   */
  private closingBoundary(content: Int32Array): number {
    const closed = (count: number): boolean =>
      this.tokenizer.decode(content.subarray(0, count)).includes('</think>');
    if (!closed(content.length)) return this.opened === '<think>' ? content.length : 0;
    let low = 0;
    let high = content.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (closed(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  private observationChunks(shown: ShownState): Chunk[] {
    const { options, frame, turns: turn, measured } = this;
    if (measured?.shown === shown && measured.turn === turn) return measured.chunks;
    const state = { turn, state: shown.observation.text, actionsLeft: shown.actionsLeft };
    const system: Piece = { kind: 'template', text: frame.systemInUser };
    const head =
      turn === 0
        ? [system, ...openingPieces(options, shown.observation)]
        : rewardPieces(options, shown.reward ?? 0);
    const chunks: Chunk[] = [{ kind: 'template', tokens: turn === 0 ? frame.opening : frame.next }];
    for (const piece of joinPieces([...head, ...turnPieces(options, state)]))
      chunks.push(this.encodeChunk(piece, chunks));
    chunks.push({ kind: 'template', tokens: frame.generation });
    const tag = forcedTag(options.format);
    if (tag !== '') chunks.push(this.encodeChunk({ kind: 'template', text: tag }, chunks));
    this.measured = { shown, turn, chunks };
    return chunks;
  }

  /** Encodes a piece that follows `before`, the chunks that are not yet part of the conversation. */
  private encodeChunk({ kind, text }: Piece, before: readonly Chunk[]): Chunk {
    const last = before.findLast(({ tokens }) => tokens.length > 0)?.tokens;
    const previous = last === undefined ? this.ids.at(-1) : last[last.length - 1];
    const tokens =
      kind === 'template' ? this.encodeTemplate(text, previous) : this.encodeObservation(text, previous);
    return { kind, tokens };
  }

  private encodeTemplate(text: string, previous: number | undefined): Int32Array {
    const key = this.tokenizer.continuation === undefined ? text : `${previous} ${text}`;
    const known = this.encoded.get(key);
    if (known !== undefined) return known;
    const tokens = encodePiece(this.tokenizer, text, previous);
    this.encoded.set(key, tokens);
    return tokens;
  }

  /** Encodes an environment's text, which must not be able to end a turn. */
  private encodeObservation(text: string, previous: number | undefined): Int32Array {
    const tokens = encodePiece(this.tokenizer, text, previous);
    if (!tokens.includes(this.tokenizer.endOfTurn)) return tokens;
    throw new AppError(
      'plugin.failed',
      `show a state: its text contains the model's end-of-turn token; remove chat markup from the environment's text`,
    );
  }

  private push(chunk: Chunk, sampled?: SampledTokens, offset = 0): void {
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

/** Neighbours of one kind are encoded together. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const { kind, text } of pieces) {
    const last = joined.at(-1);
    if (last?.kind === kind) joined[joined.length - 1] = { kind, text: last.text + text };
    else if (text !== '') joined.push({ kind, text });
  }
  return joined;
}

/**
 * Checks that a tokenizer decodes exactly what it encoded piece by piece, as prompts are encoded.
 *
 * @throws rollout.unsupported_template
 */
export function validateTokenizer(tokenizer: Tokenizer): void {
  const pieces = ['State:', '\n', 'x_'];
  const [first = '', ...others] = pieces;
  const ids = [...tokenizer.encode(first)];
  for (const text of others) ids.push(...encodePiece(tokenizer, text, ids.at(-1)));
  const read = tokenizer.decode(ids);
  if (read === pieces.join('')) return;
  throw new AppError(
    'rollout.unsupported_template',
    `encode a prompt piece by piece: the tokenizer decodes ${JSON.stringify(pieces)} as ${JSON.stringify(read)}, so prompts would differ from the model's chat template; choose a model whose tokenizer adds, drops and rewrites no characters, such as a byte-level one`,
  );
}

function withEnd(tokens: Int32Array, end: number): Int32Array {
  const ended = new Int32Array(tokens.length + 1);
  ended.set(tokens);
  ended[tokens.length] = end;
  return ended;
}

/**
 * Prepares the prompt format for one tokenizer and environment: derives the chat frame once.
 * @throws rollout.unsupported_template see {@link deriveChatFrame}
 */
export function createContextFactory(tokenizer: Tokenizer, options: PromptOptions): ContextFactory {
  const { format } = options;
  const frame = deriveChatFrame(
    tokenizer,
    { system: systemText(options), fewShot: format.fewShot },
    templateVariables(options.template),
  );
  const encoded = new Map<string, Int32Array>();
  // some templates open the reasoning themselves
  const isOpen = format.thinking === 'template' && /<think>\s*$/.test(tokenizer.decode(frame.generation));
  const opened = isOpen ? '<think>' : forcedTag(format);
  return {
    options,
    closingLength: frame.closing.length,
    open: () => new Conversation(tokenizer, options, frame, encoded, opened),
  };
}

/** Opens a single conversation; see {@link createContextFactory} for many. */
export function createContext(tokenizer: Tokenizer, options: PromptOptions): EpisodeContext {
  return createContextFactory(tokenizer, options).open();
}

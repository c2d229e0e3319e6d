/**
 * @file The conversation of one episode as token ids and spans, built turn by turn. Sampled ids are appended unchanged
 * and never re-encoded; each message is encoded as a whole, by its pieces only for a tokenizer that has phrases as tokens,
 * and its spans tell the environment's text from the prompt format. Policies and teachers use the same builder.
 */
import { AppError, type SampleResult, type Span, type SpanKind, type Tokenizer } from '@espalier/contracts';
import type { Observation } from '@espalier/plugin-kit';
import { type ChatFrame, decodePiece, deriveChatFrame, encodePiece } from './chat-frame.js';
import { checkTemplate } from './check-template.js';
import { joinPieces, MessageEncoder } from './encode-message.js';
import { findTextEnds } from './text-ends.js';
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
  /** for each sampled token, the character of its turn's response at which it ends; 0 elsewhere */
  textEnds(): Int32Array; // [T]
}

/** The parts of the prompt that all episodes of one environment share; create once, open many contexts. */
export interface ContextFactory {
  readonly options: PromptOptions;
  /** maximum number of tokens that closing a reply can add */
  readonly closingLength: number;
  /** the tag that every reply begins with, though it is not sampled: the run or the chat template opens it */
  readonly opened: ReturnType<typeof forcedTag>;
  open(): EpisodeContext;
}

interface Reply {
  readonly start: number;
  readonly content: Int32Array;
  readonly previous: number | undefined;
  readonly end: number;
}

interface TokenRange {
  readonly kind: SpanKind;
  readonly tokens: ArrayLike<number>;
}

class Conversation implements EpisodeContext {
  private readonly ids: number[] = [];
  private readonly logs: number[] = [];
  private readonly entropy: number[] = [];
  private readonly ranges: Span[] = [];
  /** of the replies: where their tokens lie, and the length of the tag before them */
  private readonly replies: Reply[] = [];
  /** the last measured observation, to avoid encoding it twice */
  private measured:
    { readonly shown: ShownState; readonly turn: number; readonly chunks: readonly TokenRange[] } | undefined;
  turns = 0;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly options: PromptOptions,
    private readonly frame: ChatFrame,
    /** shared by all conversations of a factory */
    private readonly encoder: MessageEncoder,
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
    this.replies.push({ start, content, previous, end });
    // another stop token ends sampling but not the message
    if (last !== this.tokenizer.endOfTurn)
      this.push({
        kind: 'template',
        tokens: encodePiece(this.tokenizer, this.frame.closing, this.ids.at(-1)),
      });
    return {
      response: this.opened + decodePiece(this.tokenizer, content, previous),
      sampled: { start, end },
    };
  }

  appendResponseText(text: string): AppendedReply {
    // the end-of-turn token is the last of the closing
    return this.appendSampled({
      tokens: encodePiece(this.tokenizer, text + this.frame.closing, this.ids.at(-1)),
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

  textEnds(): Int32Array {
    const ends = new Int32Array(this.length);
    for (const { start, content, previous, end } of this.replies) {
      const offset = this.opened.length;
      const own = findTextEnds(this.tokenizer, content, previous);
      own.forEach((at, index) => (ends[start + index] = offset + at));
      ends.fill(offset + (own.at(-1) ?? 0), start + content.length, end);
    }
    return ends;
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

  private observationChunks(shown: ShownState): readonly TokenRange[] {
    const { turns: turn, measured } = this;
    if (measured?.shown === shown && measured.turn === turn) return measured.chunks;
    const pieces = messagePieces(this.options, this.frame, shown, turn);
    const chunks = this.encoder.encode(pieces, this.ids.at(-1));
    this.measured = { shown, turn, chunks };
    return chunks;
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

/** The texts of a turn, from the end of the last reply to the forced tag. */
function messagePieces(
  options: PromptOptions,
  frame: ChatFrame,
  shown: ShownState,
  turn: number,
): readonly Piece[] {
  const template = (text: string): Piece => ({ kind: 'template', text });
  const pieces = [
    template(turn === 0 ? frame.opening : frame.next),
    ...joinPieces(contentPieces(options, frame, shown, turn)),
    template(frame.generation),
    template(forcedTag(options.format)),
  ];
  return pieces.filter(({ text }) => text !== '');
}

/** The content of a user message. */
function contentPieces(
  options: PromptOptions,
  frame: ChatFrame,
  shown: ShownState,
  turn: number,
): readonly Piece[] {
  const state = { turn, state: shown.observation.text, actionsLeft: shown.actionsLeft };
  const system: Piece = { kind: 'template', text: frame.systemInUser };
  const head =
    turn === 0
      ? [system, ...openingPieces(options, shown.observation)]
      : rewardPieces(options, shown.reward ?? 0);
  const pieces = [...head, ...turnPieces(options, state)].filter(({ text }) => text !== '');
  return frame.trims ? trimPieces(pieces) : pieces;
}

/** Trims the text that the pieces make; white space at its ends may be several pieces. */
function trimPieces(pieces: readonly Piece[]): readonly Piece[] {
  const first = pieces.findIndex(({ text }) => text.trim() !== '');
  const last = pieces.findLastIndex(({ text }) => text.trim() !== '');
  return pieces.slice(Math.max(0, first), last + 1).map(({ kind, text }, index, kept) => {
    const started = index === 0 ? text.trimStart() : text;
    return { kind, text: index === kept.length - 1 ? started.trimEnd() : started };
  });
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

/**
 * Prepares the prompt format for one tokenizer and environment: derives the chat frame once, and checks that turns built with
 * it are those of the template. With `onlyPieces` nothing is checked and each piece of text is encoded on its own: for a
 * tokenizer that is trained on the pieces.
 * @throws rollout.unsupported_template see {@link deriveChatFrame}, {@link checkTemplate}
 */
export function createContextFactory(
  tokenizer: Tokenizer,
  options: PromptOptions,
  { onlyPieces = tokenizer.hasPhrases === true }: { readonly onlyPieces?: boolean } = {},
): ContextFactory {
  const { format } = options;
  const variables = templateVariables(options.template);
  const frame = deriveChatFrame(
    tokenizer,
    { system: systemText(options), fewShot: format.fewShot },
    variables,
  );
  const encoder = new MessageEncoder(tokenizer, (tokens) => checkObservation(tokenizer, tokens), onlyPieces);
  // some templates open the reasoning themselves
  const isOpen = format.thinking === 'template' && /<think>\s*$/.test(frame.generation);
  const opened = isOpen ? '<think>' : forcedTag(format);
  const open = (): Conversation => new Conversation(tokenizer, options, frame, encoder, opened);
  const forced = forcedTag(format);
  if (!onlyPieces)
    checkTemplate(tokenizer, frame, variables, { ...playSample(open(), options, frame, opened), forced });
  return {
    options,
    closingLength: encodePiece(tokenizer, frame.closing, undefined).length,
    opened,
    open,
  };
}

/** Plays up to three turns of a made-up episode. */
function playSample(
  context: Conversation,
  options: PromptOptions,
  frame: ChatFrame,
  opened: string,
): { ids: Int32Array; contents: string[] } {
  const shown: ShownState = { observation: { text: '_P_\n__G\n(1, 2)' }, actionsLeft: 2, reward: 0.5 };
  const whole = '<think>The goal is 1 down.</think><answer>Down</answer>';
  const reply = opened === '<answer>' ? 'Down</answer>' : whole.slice(opened.length);
  const contents: string[] = [];
  for (let turn = 0; turn < Math.min(3, options.limits.maxTurns); turn++) {
    if (turn > 0) {
      context.appendResponseText(reply);
      contents.push(frame.begun + forcedTag(options.format) + reply);
    }
    context.appendObservation(shown);
    const pieces = contentPieces(options, frame, shown, turn);
    contents.push(pieces.map(({ text }) => text).join(''));
  }
  return { ids: context.tokens(), contents };
}

/** An environment's text must not be able to end a turn. */
function checkObservation(tokenizer: Tokenizer, tokens: Int32Array): void {
  if (!tokens.includes(tokenizer.endOfTurn)) return;
  throw new AppError(
    'plugin.failed',
    `show a state: its text contains the model's end-of-turn token; remove chat markup from the environment's text`,
  );
}

/** Opens a single conversation; see {@link createContextFactory} for many. */
export function createContext(tokenizer: Tokenizer, options: PromptOptions): EpisodeContext {
  return createContextFactory(tokenizer, options).open();
}

/**
 * @file The conversation of one episode as token ids and spans, built turn by turn. Sampled ids are appended unchanged
 * and never re-encoded; each message is encoded as a whole, by its pieces only for a tokenizer that has phrases as tokens,
 * and its spans tell the environment's text from the prompt format. Policies and teachers use the same builder.
 */
import { AppError, type SampleResult, type Span, type Tokenizer } from '@espalier/contracts';
import { type ChatFrame, deriveChatFrame, encodePiece } from './chat-frame.js';
import { checkTemplate } from './check-template.js';
import { Conversation } from './conversation.js';
import { MessageEncoder } from './encode-message.js';
import { contentPieces, type ShownState } from './message-pieces.js';
import { forcedTag, type PromptOptions, systemText, templateVariables } from './prompt.js';
import type { TokenWindow } from './windows.js';

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
  /** tokens so far, of all windows */
  readonly length: number;
  /** turns opened so far */
  readonly turns: number;
  /**
   * Tokens of the prompt that {@link EpisodeContext.appendObservation} would make.
   *
   * @param room tokens that it may have; matters where `rollout.context.whenFull` is `truncate`
   */
  measurePrompt(shown: ShownState, room?: number): number;
  /** Opens the next turn, in a new window where the prompt leaves out turns; ends with the forced tag. */
  appendObservation(shown: ShownState, room?: number): void;
  /** Appends sampled ids unchanged; a missing end-of-turn token is added as template. */
  appendSampled(sampled: SampledTokens): AppendedReply;
  /** Appends a teacher's reply (without the forced tag) as if sampled, end of turn included. */
  appendResponseText(text: string): AppendedReply;
  tokens(): Int32Array; // [T]
  /** the tokens of the present window: what the next reply continues */
  prompt(): Int32Array;
  /** where each window begins; one for each that was opened */
  windows(): readonly TokenWindow[];
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
  const open = (): Conversation => new Conversation({ tokenizer, options, frame, encoder, opened });
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

/** Plays up to three turns of a made-up episode, as many as one window may have. */
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
  const { context: { turns: most = 'all' } = {}, limits } = options;
  const count = Math.min(3, limits.maxTurns, most === 'all' ? Infinity : most);
  for (let turn = 0; turn < count; turn++) {
    if (turn > 0) {
      context.appendResponseText(reply);
      contents.push(frame.begun + forcedTag(options.format) + reply);
    }
    context.appendObservation(shown);
    const pieces = contentPieces(options, frame, shown, { turn, isFirst: turn === 0 });
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

/**
 * @file The interface between an engine and the code that trains and samples. Everything is asynchronous and consists of
 * tokens and numbers, so an implementation may run in this process or on another machine.
 * A loss is passed as graph-building code for engines that compile it, and by name for those that do not.
 */
import type { TemplateMessage } from './template-message.js';

/** How the next token is drawn from a distribution. */
export interface SamplingParams {
  /** 0 = greedy, with log-probabilities at temperature 1; otherwise log-probabilities are of the scaled distribution */
  readonly temperature: number;
  /** keep the smallest set of tokens with at least this probability; 1 = off */
  readonly topP: number;
  /** keep the k most probable tokens; 0 = off */
  readonly topK: number;
  /** maximum number of tokens to sample */
  readonly maxTokens: number;
  /** sampling stops after any of these ids; the id is part of the result */
  readonly stopTokens: readonly number[];
  /** sampling stops once the sampled tokens end with any of these sequences */
  readonly stopSequences: readonly (readonly number[])[];
}

export interface SampleRequest {
  /** identifies a growing sequence, so that its cache survives between turns */
  readonly sequence: string;
  /** the whole sequence so far; extends the tokens of earlier requests */
  readonly tokens: Int32Array; // [T]
  readonly params: SamplingParams;
  /** the token at position t uses uniform number t of this seed, whatever the batch */
  readonly seed: number;
  /**
   * length of the prefix that other requests are expected to share, so that an engine can compute and cache it once.
   * The last bits of the result may depend on this number, but never on other requests. Read when a sequence starts
   */
  readonly sharedPrefix?: number;
}

/**
 * Sees a reply as it grows; `true` ends it behind the last token, with the stop `stop`. Called for every token once or
 * more, and never to throw.
 */
type SampleWatch = (tokens: readonly number[], logprobs: readonly number[]) => boolean;

export interface SampleResult {
  readonly tokens: Int32Array; // [n]
  readonly logprobs: Float32Array; // [n] nats
  readonly entropies: Float32Array; // [n] nats
  readonly stop: 'stop' | 'length' | 'context';
  readonly policyVersion: number;
}

/** Requests log-probabilities of tokens: position t is predicted from the tokens before it, so t ≥ 1. */
export interface ScoreRequest {
  readonly tokens: Int32Array; // [T]
  /** ascending positions in 1..T-1 */
  readonly positions: Int32Array; // [n]
  /** divides the logits; default 1 */
  readonly temperature?: number;
}

export interface TokenScores {
  readonly logprobs: Float32Array; // [n] nats
  readonly entropies: Float32Array; // [n] nats
}

/** One sequence of a training batch; all columns are aligned with `positions`. */
export interface Datum extends ScoreRequest {
  /** weight of each token in the loss of the whole batch: this implements the aggregation, so micro-batches add up */
  readonly weights: Float32Array; // [n]
  /** named per-token inputs of the loss, such as oldLogprobs, advantages, returns */
  readonly columns: Readonly<Record<string, Float32Array>>; // each [n]
}

/** A loss as data: its id, its parameters, and a function (opaque here) that builds its graph. */
export interface LossSpec {
  /** part of the cache key, together with `params` */
  readonly id: string;
  readonly params: Readonly<Record<string, number | boolean | string>>;
  /** names of the columns that the loss reads */
  readonly columns: readonly string[];
  /** graph-building function, typed in `@espalier/objective` (`LossBuilder`) */
  readonly build: unknown;
  /**
   * the loss that it equals among those that engines know by name; bounds are those of the ratio. Absent: none, or nobody has
   * said so
   */
  readonly named?:
    | { readonly name: 'cross_entropy' | 'importance_sampling' }
    | { readonly name: 'ppo' | 'cispo'; readonly lowest: number; readonly highest: number }
    | undefined;
}

export interface ForwardBackwardResult {
  /** Σ weight · loss over the batch */
  readonly loss: number;
  /** Σ weight · value of each metric that the loss reports */
  readonly metrics: Readonly<Record<string, number>>;
  /** per datum, under the weights before the update; absent for a critic */
  readonly scores?: readonly TokenScores[];
  /** per datum, under the weights before the update; critic only */
  readonly values?: readonly Float32Array[];
  /** the work done for the batch, if the engine reports it */
  readonly work?: ComputedWork;
  /** how the engine saves memory from now on, one sentence each, because this batch, or what was scored before, at first did not fit */
  readonly reductions?: readonly string[];
}

/** The work done for a batch; less than its tokens where sequences share a prefix. */
export interface ComputedWork {
  /** tokens of all sequences */
  readonly tokens: number;
  /** tokens that passed through the layers */
  readonly rows: number;
  /** rows that are padding */
  readonly paddedRows: number;
  /** cells of the attention matrices */
  readonly attentionCells: number;
  /** cells that are padding */
  readonly paddedAttentionCells: number;
}

export interface OptimizerStep {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** global-norm clipping; Infinity = off */
  readonly maxGradientNorm: number;
}

export interface OptimizerStepResult {
  /** before clipping; NaN: a remote engine that does not report it */
  readonly gradientNorm: number;
  readonly clipped: boolean;
}

/** Scores sequences; weights do not change. */
export interface ScoringModel {
  score(requests: readonly ScoreRequest[]): Promise<TokenScores[]>;
  dispose(): Promise<void>;
}

/** Accumulates gradients over `forwardBackward` calls until `optimizerStep` applies and clears them. */
export interface TrainableModel {
  /**
   * @param others the mini-batches of the same update that come in calls of their own; the engine may choose sizes that suit
   *   all of them, so that it opens one graph
   * @throws engine.not_finite naming a loss or metric that is no number; accumulated gradients are dropped
   */
  forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    others?: readonly (readonly ScoreRequest[])[],
  ): Promise<ForwardBackwardResult>;
  /**
   * @throws engine.not_finite naming the first gradient that is not finite; weights and moments are unchanged. After
   *         another failure they are undefined until they are loaded
   */
  optimizerStep(step: OptimizerStep): Promise<OptimizerStepResult>;
  /** Drops accumulated gradients. */
  zeroGradients(): Promise<void>;
  /** Writes weights (Hugging Face layout) and, on request, optimizer moments and step count to `folder`. */
  save(folder: string, options: { readonly optimizer: boolean }): Promise<void>;
  /** Loads what `save` wrote. */
  load(folder: string, options: { readonly optimizer: boolean }): Promise<void>;
  dispose(): Promise<void>;
}

/** A policy: samples, scores and is trained. */
export interface PolicyModel extends TrainableModel, ScoringModel {
  /** Incremented by every optimizer step. */
  readonly version: number;
  /**
   * Samples one continuation; calls made in the same tick are decoded as one batch.
   *
   * @param watch an engine that has its tokens elsewhere need not call it
   */
  sample(request: SampleRequest, signal?: AbortSignal, watch?: SampleWatch): Promise<SampleResult>;
  /** Frees the caches of these sequences. */
  release(sequences: readonly string[]): void;
}

/** A critic: estimates the value before each requested position. */
export interface CriticModel extends TrainableModel {
  /** values [n] of the state from which position t is predicted */
  values(requests: readonly ScoreRequest[]): Promise<Float32Array[]>;
}

export interface EngineDescription {
  readonly kind: string;
  readonly model: string;
  readonly parameterCount: number;
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly provider: string;
  readonly threads: number;
  /** what it does otherwise than the embedded engine, a sentence each; a run reports them as warnings */
  readonly notes?: readonly string[];
}

/** A copy of the policy that samples while the policy learns. */
interface SamplingCopy extends Pick<PolicyModel, 'sample' | 'release'> {
  /** of the policy when it was copied */
  readonly version: number;
  /** Takes the weights of the policy as they are now; nothing may be being sampled. */
  refresh(): Promise<void>;
  dispose(): Promise<void>;
}

/** The policy engine. */
export interface PolicyEngine {
  readonly description: EngineDescription;
  readonly policy: PolicyModel;
  /** Joules that the device has used since the engine was opened; absent without a counter, undefined while it cannot be read. */
  readonly readDeviceJoules?: () => number | undefined;
  /**
   * Opens a critic with the policy's current weights as backbone and a zero value head; each call opens another one.
   *
   * @param headSeed the head begins with small random numbers of this seed instead, so that critics differ
   */
  openCritic(headSeed?: number): Promise<CriticModel>;
  /** Opens a frozen copy of the current policy. */
  openReference(): Promise<ScoringModel>;
  /** Opens a copy of the policy that samples by itself; it has the policy's current weights. */
  openSampler(): Promise<SamplingCopy>;
  dispose(): Promise<void>;
}

/** Converts between text and token ids, and renders the chat template. */
export interface Tokenizer {
  readonly vocabularySize: number;
  /**
   * rows that the embedding of its model must have: special tokens beyond them, such as those for images, come only
   * from a text that spells them; default: vocabularySize
   */
  readonly embeddingRows?: number;
  /** ends a turn when sampled */
  readonly endOfTurn: number;
  /** all ids that end a turn when sampled; `endOfTurn` first */
  readonly stopTokens: readonly number[];
  readonly pad: number;
  encode(text: string): Int32Array;
  decode(tokens: ArrayLike<number>): string;
  /**
   * Only where the start of a text gets a space that its middle does not: the same for text behind the id `previous`,
   * or behind ordinary text.
   */
  readonly continuation?:
    | {
        encode(text: string, previous?: number): Int32Array;
        decode(tokens: ArrayLike<number>, previous?: number): string;
      }
    | undefined;
  /**
   * Whole phrases of the prompt are tokens, as in a model that a warm start made: it knows each piece of a message encoded on
   * its own.
   */
  readonly hasPhrases?: boolean;
  /** Renders messages with the chat template. */
  renderMessages(
    messages: readonly TemplateMessage[],
    options: {
      /** end with the opening of an assistant turn */
      readonly generation: boolean;
      /** further variables of the template by name; default: none */
      readonly variables?: Readonly<Record<string, unknown>>;
    },
  ): string;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * @file What the trainer and the rollout ask of an engine. Everything is asynchronous and speaks of tokens
 * and numbers only: an implementation may run in this process, or on another machine.
 * A loss travels as graph-building code for engines that compile it, with a name for those that do not.
 */

/** How a distribution is turned into a token. */
export interface SamplingParams {
  /** > 0; log-probabilities are of the scaled distribution. 0 = greedy (log-probabilities at temperature 1) */
  readonly temperature: number;
  /** keep the smallest set of tokens with at least this probability; 1 = off */
  readonly topP: number;
  /** keep the k most probable tokens; 0 = off */
  readonly topK: number;
  /** most tokens sampled by this request */
  readonly maxTokens: number;
  /** sampling ends after one of these ids (the id is part of the result) */
  readonly stopTokens: readonly number[];
  /** sampling ends once the sampled text ends with one of these token sequences */
  readonly stopSequences: readonly (readonly number[])[];
}

export interface SampleRequest {
  /** names a growing sequence, so that its cache can be kept between turns */
  readonly sequence: string;
  /** the whole sequence so far; must extend what this sequence had before */
  readonly tokens: Int32Array; // [T]
  readonly params: SamplingParams;
  /** stream of uniform numbers: the token at position t uses draw t of this seed, whatever the batch */
  readonly seed: number;
  /**
   * how many of the first tokens other requests are expected to begin with too; an engine may then keep and read them once.
   * The result's last bits may depend on this number, never on whether there are others. Counts when a sequence begins
   */
  readonly sharedPrefix?: number;
}

export interface SampleResult {
  readonly tokens: Int32Array; // [n]
  readonly logprobs: Float32Array; // [n] nats
  readonly entropies: Float32Array; // [n] nats
  readonly stop: 'stop' | 'length' | 'context';
  readonly policyVersion: number;
}

/** Tokens whose log-probability is asked for: position t is predicted from the tokens before it, so t ≥ 1. */
export interface ScoreRequest {
  readonly tokens: Int32Array; // [T]
  /** ascending positions in 1..T-1 */
  readonly positions: Int32Array; // [n]
  /** temperature the logits are divided by; 1 if absent */
  readonly temperature?: number;
}

export interface TokenScores {
  readonly logprobs: Float32Array; // [n] nats
  readonly entropies: Float32Array; // [n] nats
}

/** One sequence of a training batch; all columns are aligned to `positions`. */
export interface Datum extends ScoreRequest {
  /** share of each token in the whole batch's loss (aggregation is decided here, so micro-batches add up) */
  readonly weights: Float32Array; // [n]
  /** named per-token inputs of the loss, e.g. oldLogprobs, advantages, returns */
  readonly columns: Readonly<Record<string, Float32Array>>; // each [n]
}

/** A loss as data: who it is, its numbers, and (opaque here) how to build it as graph. */
export interface LossSpec {
  /** cache key together with `params` */
  readonly id: string;
  readonly params: Readonly<Record<string, number | boolean | string>>;
  /** names of the columns it reads */
  readonly columns: readonly string[];
  /** graph-building function, typed in `@espalier/objective` (`LossBuilder`) */
  readonly build: unknown;
}

export interface ForwardBackwardResult {
  /** Σ weight · loss over the given data */
  readonly loss: number;
  /** Σ weight · value of each metric the loss reports */
  readonly metrics: Readonly<Record<string, number>>;
  /** per datum, as in {@link TokenScores}, under the weights before the update (absent for a critic) */
  readonly scores?: readonly TokenScores[];
  /** per datum, values under the weights before the update (critic only) */
  readonly values?: readonly Float32Array[];
  /** what was computed for the batch, where an engine tells */
  readonly work?: ComputedWork;
}

/** How much was computed for a batch; less than its tokens where sequences share what they begin with. */
export interface ComputedWork {
  /** tokens of all sequences */
  readonly tokens: number;
  /** tokens that went through the layers */
  readonly rows: number;
  /** those of them that stand for padding */
  readonly paddedRows: number;
  /** places that attention ran over */
  readonly places: number;
  /** those of them that stand for padding */
  readonly paddedPlaces: number;
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
  /** before clipping */
  readonly gradientNorm: number;
  readonly clipped: boolean;
}

/** Answers questions about sequences; weights do not change. */
export interface ScoringModel {
  score(requests: readonly ScoreRequest[]): Promise<TokenScores[]>;
  dispose(): Promise<void>;
}

/** Adds up gradients over `forwardBackward` calls until `optimizerStep` applies and clears them. */
export interface TrainableModel {
  /**
   * @throws engine.not_finite naming the first bad tensor; gradients gathered so far are dropped
   */
  forwardBackward(batch: readonly Datum[], loss: LossSpec): Promise<ForwardBackwardResult>;
  /** @throws engine.not_finite when the gradient norm is not finite; weights and moments stay as they were */
  optimizerStep(step: OptimizerStep): Promise<OptimizerStepResult>;
  /** Drops gathered gradients. */
  zeroGradients(): Promise<void>;
  /** Writes weights (Hugging Face layout) and, when asked, optimizer moments and step count into `folder`. */
  save(folder: string, options: { readonly optimizer: boolean }): Promise<void>;
  /** Reads what `save` wrote. */
  load(folder: string, options: { readonly optimizer: boolean }): Promise<void>;
  dispose(): Promise<void>;
}

/** A policy: samples, scores, learns. */
export interface PolicyModel extends TrainableModel, ScoringModel {
  /** Rises by one with every optimizer step. */
  readonly version: number;
  /** Samples one continuation; calls made in one tick are decoded together. */
  sample(request: SampleRequest, signal?: AbortSignal): Promise<SampleResult>;
  /** Lets go of what is cached for these sequences. */
  release(sequences: readonly string[]): void;
}

/** A critic: a value before each asked position. */
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
}

/** The policy engine. */
export interface PolicyEngine {
  readonly description: EngineDescription;
  readonly policy: PolicyModel;
  /** Opens a critic with the policy's present weights as backbone and a zero value head. */
  openCritic(): Promise<CriticModel>;
  /** Opens a frozen copy of the policy as it is now. */
  openReference(): Promise<ScoringModel>;
  dispose(): Promise<void>;
}

/** Text to ids and back, with the chat template's pieces. */
export interface Tokenizer {
  readonly vocabularySize: number;
  /** ends a turn when sampled */
  readonly endOfTurn: number;
  /** all ids that end a turn when sampled, `endOfTurn` first */
  readonly stopTokens: readonly number[];
  readonly pad: number;
  encode(text: string): Int32Array;
  decode(tokens: ArrayLike<number>): string;
  /** Text that the chat template puts around a message of `role`; `generation` = opening of an assistant turn. */
  renderMessages(messages: readonly ChatMessage[], options: { readonly generation: boolean }): string;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

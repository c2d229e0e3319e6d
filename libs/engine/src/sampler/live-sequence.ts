/**
 * @file A sequence the sampler knows: which of its tokens are cached, in which row, and the answer being sampled.
 */
import { AppError, type PolicyModel, type SampleRequest, type SampleResult } from '@espalier/contracts';
import { endsTurn } from '../ends-turn.js';
import type { SharedPrefix } from './prefix-rows.js';

/** Sees the reply as it grows. */
export type SampleWatch = Parameters<PolicyModel['sample']>[2];

/** One sample being generated. */
export interface PendingSample {
  readonly request: SampleRequest;
  readonly sequence: LiveSequence;
  readonly signal: AbortSignal | undefined;
  readonly watch: SampleWatch;
  readonly resolve: (result: SampleResult) => void;
  readonly reject: (error: unknown) => void;
  readonly sampled: number[];
  readonly logprobs: number[];
  readonly entropies: number[];
  policyVersion: number;
}

export interface LiveSequence {
  readonly name: string;
  /** every token whose keys and values are cached */
  tokens: Int32Array;
  cached: number;
  /** where its first tokens are cached instead of in its own row */
  prefix: SharedPrefix | undefined;
  /** row of the cache; −1 = none */
  row: number;
  /** weights the cache was made with */
  revision: number;
  isBusy: boolean;
}

/** Makes a sequence without cache. */
export function createSequence(name: string): LiveSequence {
  return {
    name,
    tokens: new Int32Array(0),
    cached: 0,
    prefix: undefined,
    row: -1,
    revision: -1,
    isBusy: false,
  };
}

/** How many tokens are cached in the sequence's own row. */
export function ownLength({ cached, prefix }: LiveSequence): number {
  return Math.max(0, cached - (prefix?.length ?? 0));
}

/** Drops the cache if the weights changed; the request must extend what is still cached. */
export function reconcile(sequence: LiveSequence, request: SampleRequest, revision: number): void {
  if (sequence.revision !== revision) sequence.cached = 0;
  sequence.revision = revision;
  const { tokens } = request;
  let same = 0;
  while (same < sequence.cached && tokens[same] === sequence.tokens[same]) same += 1;
  if (same < sequence.cached || tokens.length <= sequence.cached) {
    throw new AppError(
      'engine.invalid_request',
      `sample "${sequence.name}": its first ${sequence.cached} tokens are known and the request differs at ${same}; a sequence only grows, or is released first`,
    );
  }
}

/** Notes that the tokens up to `count` are cached now. */
export function noteCached(sequence: LiveSequence, answer: PendingSample, count: number): void {
  if (sequence.tokens.length < count) {
    const grown = new Int32Array(Math.max(count, sequence.tokens.length * 2));
    grown.set(sequence.tokens.subarray(0, sequence.cached));
    sequence.tokens = grown;
  }
  const { tokens } = answer.request;
  for (let t = sequence.cached; t < count; t += 1) {
    sequence.tokens[t] = (t < tokens.length ? tokens[t] : answer.sampled[t - tokens.length]) as number;
  }
  sequence.cached = count;
}

/** Why an answer ends here, or undefined when it continues. */
export function stopOf(
  { request, sampled, logprobs, watch }: PendingSample,
  contextLength: number,
): SampleResult['stop'] | undefined {
  const isOver = sampled.length > 0 && watch?.(sampled, logprobs) === true;
  if (isOver || endsTurn(sampled, request.params)) return 'stop';
  if (sampled.length >= request.params.maxTokens) return 'length';
  if (request.tokens.length + sampled.length >= contextLength) return 'context';
  return undefined;
}

/** The finished answer. */
export function resultOf(answer: PendingSample, stop: SampleResult['stop']): SampleResult {
  return {
    tokens: Int32Array.from(answer.sampled),
    logprobs: Float32Array.from(answer.logprobs),
    entropies: Float32Array.from(answer.entropies),
    stop,
    policyVersion: answer.policyVersion,
  };
}

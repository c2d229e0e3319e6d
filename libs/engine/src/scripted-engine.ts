/**
 * @file A policy engine with fixed answers, for tests of rollout and trainer: what a sequence says at each of its
 * turns is a function. Requests, limits, stops, growth of sequences and cancelling are those of a real engine (the
 * sampling cases of the conformance suite say so). Left out, as there are no weights: temperature, top-p and top-k
 * (the script sees them), scores and entropies (zero), learning (it only counts versions), saving and loading.
 */
import {
  AppError,
  type CriticModel,
  type Datum,
  type EngineDescription,
  type ForwardBackwardResult,
  type OptimizerStepResult,
  type PolicyEngine,
  type PolicyModel,
  type SampleRequest,
  type SampleResult,
  type ScoreRequest,
  type TokenScores,
} from '@espalier/contracts';
import { checkSampleRequest } from './check-requests.js';
import { endsTurn } from './ends-turn.js';

/** What a scripted sequence is asked. */
export interface ScriptedQuestion {
  readonly sequence: string;
  /** how many times this sequence was sampled before */
  readonly turn: number;
  readonly request: SampleRequest;
}

/** A reply that has ended already: nothing is cut from it. */
export interface WholeAnswer {
  readonly tokens: ArrayLike<number>;
  readonly stop: SampleResult['stop'];
}

/** What the script says; text needs `encode`. */
export type ScriptedAnswer = string | ArrayLike<number> | WholeAnswer;

export interface ScriptedEngineOptions {
  readonly answer: (question: ScriptedQuestion) => ScriptedAnswer | Promise<ScriptedAnswer>;
  readonly encode?: (text: string) => ArrayLike<number>;
  readonly vocabularySize?: number;
  readonly contextLength?: number;
}

/** Creates an engine that answers by script; stop tokens, stop sequences and limits act as in a real one. */
export function createScriptedEngine(options: ScriptedEngineOptions): PolicyEngine {
  const description: EngineDescription = {
    kind: 'scripted',
    model: 'scripted',
    parameterCount: 0,
    vocabularySize: options.vocabularySize ?? 65_536,
    contextLength: options.contextLength ?? 65_536,
    provider: 'none',
    threads: 1,
  };
  const { model: critic } = createCountingModel();
  const policy = createScriptedPolicy(options, description);
  return {
    description,
    policy,
    openCritic: async () =>
      ({ ...critic, values: async (requests) => requests.map(zerosFor) }) satisfies CriticModel,
    openReference: async () => ({
      score: async (requests) => requests.map(zeroScores),
      dispose: async () => undefined,
    }),
    openSampler: async () => {
      const copy = createScriptedPolicy(options, description);
      let { version } = policy;
      return {
        get version() {
          return version;
        },
        sample: async (request, signal) => ({
          ...(await copy.sample(request, signal)),
          policyVersion: version,
        }),
        release: (names) => copy.release(names),
        refresh: async () => void (version = policy.version),
        dispose: () => copy.dispose(),
      };
    },
    dispose: async () => undefined,
  };
}

function createScriptedPolicy(options: ScriptedEngineOptions, description: EngineDescription): PolicyModel {
  const sequences = new Map<string, ScriptedSequence>();
  const { model, state } = createCountingModel();
  return {
    ...model,
    get version() {
      return state.version;
    },
    async sample(request, signal) {
      const { sequence, tokens } = request;
      checkSampleRequest(request, description);
      checkCancelled(sequence, signal);
      const { turn = 0, known = new Int32Array(0) } = sequences.get(sequence) ?? {};
      checkGrowth(sequence, tokens, known);
      sequences.set(sequence, { turn: turn + 1, known: Int32Array.from(tokens) });
      const answer = await options.answer({ sequence, turn, request });
      checkCancelled(sequence, signal);
      if (isWhole(answer)) return resultOf(Int32Array.from(answer.tokens), answer.stop, state.version);
      return cutAnswer(encodeAnswer(answer, options), request, description.contextLength, state.version);
    },
    score: async (requests) => requests.map(zeroScores),
    release(names) {
      for (const name of names) sequences.delete(name);
    },
  };
}

interface ScriptedSequence {
  /** times it was sampled */
  readonly turn: number;
  /** what it was asked with last */
  readonly known: Int32Array;
}

function checkCancelled(sequence: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AppError('engine.cancelled', `sample "${sequence}": cancelled`);
}

function checkGrowth(sequence: string, tokens: Int32Array, known: Int32Array): void {
  if (tokens.length >= known.length && known.every((id, t) => tokens[t] === id)) return;
  throw new AppError(
    'engine.invalid_request',
    `sample "${sequence}": it began with other tokens; a sequence only grows, or is released first`,
  );
}

const isWhole = (answer: ScriptedAnswer): answer is WholeAnswer =>
  typeof answer !== 'string' && 'stop' in answer;

function encodeAnswer(answer: string | ArrayLike<number>, options: ScriptedEngineOptions): ArrayLike<number> {
  if (typeof answer !== 'string') return answer;
  if (options.encode === undefined) {
    throw new AppError(
      'engine.invalid_request',
      'scripted engine: an answer is text; give `encode` or answer with ids',
    );
  }
  return options.encode(answer);
}

function cutAnswer(
  ids: ArrayLike<number>,
  request: SampleRequest,
  contextLength: number,
  version: number,
): SampleResult {
  const { params } = request;
  const kept: number[] = [];
  let stop: SampleResult['stop'] = 'stop';
  for (let i = 0; ; i += 1) {
    if (i > 0 && endsTurn(kept, params)) break;
    if (kept.length >= params.maxTokens || i >= ids.length) {
      stop = kept.length >= params.maxTokens ? 'length' : 'stop';
      break;
    }
    if (request.tokens.length + kept.length >= contextLength) {
      stop = 'context';
      break;
    }
    kept.push(ids[i] as number);
  }
  return resultOf(Int32Array.from(kept), stop, version);
}

const resultOf = (tokens: Int32Array, stop: SampleResult['stop'], policyVersion: number): SampleResult => ({
  tokens,
  logprobs: new Float32Array(tokens.length),
  entropies: new Float32Array(tokens.length),
  stop,
  policyVersion,
});

function createCountingModel() {
  const state = { version: 0 };
  const model = {
    async forwardBackward(batch: readonly Datum[]): Promise<ForwardBackwardResult> {
      return { loss: 0, metrics: {}, scores: batch.map(zeroScores) };
    },
    async optimizerStep(): Promise<OptimizerStepResult> {
      state.version += 1;
      return { gradientNorm: 0, clipped: false };
    },
    zeroGradients: async () => undefined,
    save: async () => undefined,
    load: async () => undefined,
    dispose: async () => undefined,
  };
  return { model, state };
}

const zerosFor = (request: ScoreRequest): Float32Array => new Float32Array(request.positions.length);
const zeroScores = (request: ScoreRequest): TokenScores => ({
  logprobs: zerosFor(request),
  entropies: zerosFor(request),
});

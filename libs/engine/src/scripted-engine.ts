/**
 * @file A policy engine with fixed answers, for tests of rollout and trainer: what a sequence says at each of its
 * turns is a function; scores are zero, learning does nothing but count versions. No graph, no weights.
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
import { endsTurn } from './ends-turn.js';

/** What a scripted sequence is asked. */
export interface ScriptedQuestion {
  readonly sequence: string;
  /** how many times this sequence was sampled before */
  readonly turn: number;
  readonly request: SampleRequest;
}

/** What the script says; text needs `encode`. */
export type ScriptedAnswer = string | ArrayLike<number>;

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
  return {
    description,
    policy: createScriptedPolicy(options, description),
    openCritic: async () =>
      ({ ...critic, values: async (requests) => requests.map(zerosFor) }) satisfies CriticModel,
    openReference: async () => ({
      score: async (requests) => requests.map(zeroScores),
      dispose: async () => undefined,
    }),
    dispose: async () => undefined,
  };
}

function createScriptedPolicy(options: ScriptedEngineOptions, description: EngineDescription): PolicyModel {
  const turns = new Map<string, number>();
  const { model, state } = createCountingModel();
  return {
    ...model,
    get version() {
      return state.version;
    },
    async sample(request, signal) {
      if (signal?.aborted === true)
        throw new AppError('engine.cancelled', `sample "${request.sequence}": cancelled`);
      const turn = turns.get(request.sequence) ?? 0;
      turns.set(request.sequence, turn + 1);
      const answer = await options.answer({ sequence: request.sequence, turn, request });
      return cutAnswer(encodeAnswer(answer, options), request, description.contextLength, state.version);
    },
    score: async (requests) => requests.map(zeroScores),
    release(sequences) {
      for (const sequence of sequences) turns.delete(sequence);
    },
  };
}

function encodeAnswer(answer: ScriptedAnswer, options: ScriptedEngineOptions): ArrayLike<number> {
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
  const count = kept.length;
  return {
    tokens: Int32Array.from(kept),
    logprobs: new Float32Array(count),
    entropies: new Float32Array(count),
    stop,
    policyVersion: version,
  };
}

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

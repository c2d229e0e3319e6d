/**
 * @file A policy engine with one weight, for tests of the loop: it samples by its weight, learns by a made-up rule,
 * saves and loads. It is exact and sensitive: any difference in its input shows in its weight.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CriticModel,
  Datum,
  ForwardBackwardResult,
  LossSpec,
  PolicyEngine,
  SampleRequest,
  ScoreRequest,
  TokenScores,
  TrainableModel,
} from '@espalier/contracts';
import { deriveSeed } from '@espalier/random';

export interface ToyEngineOptions {
  /** the policy's reply; `draw` in [0, 1) is fresh per turn, and 0 at temperature 0, `weight` is what it has learned */
  readonly say: (draw: number, weight: number) => string;
  readonly encode: (text: string) => ArrayLike<number>;
  /** called before each forward-backward of the policy; may throw or replace the loss */
  readonly onLearn?: (call: number, batch: readonly Datum[], loss: LossSpec) => number | undefined;
  /** called before each sample, which waits for it */
  readonly onSample?: (call: number) => void | Promise<void>;
}

export interface ToyEngine extends PolicyEngine {
  weight(): number;
  /** @param index of the critic, in the order they were opened; default 0 */
  criticWeight(index?: number): number;
}

interface ToyModel extends TrainableModel {
  readonly held: { weight: number; steps: number };
}

function createToyModel(
  learn: (call: number, batch: readonly Datum[], loss: LossSpec) => number | undefined,
): ToyModel {
  const held = { weight: 0.5, steps: 0 };
  let gradient = 0;
  let calls = 0;
  return {
    held,
    async forwardBackward(batch, loss): Promise<ForwardBackwardResult> {
      const replaced = learn((calls += 1), batch, loss);
      let sum = 0;
      batch.forEach(({ weights, columns, positions }) =>
        positions.forEach((position, n) => {
          const signal =
            columns['advantages']?.[n] ?? (columns['returns']?.[n] ?? 0) - (columns['oldValues']?.[n] ?? 0);
          sum += (weights[n] ?? 0) * signal * (1 + position / 1000);
        }),
      );
      gradient += sum;
      const scores = batch.map((datum) => scoresOf(datum, held.weight));
      let observed = 0;
      batch.forEach(({ weights, columns }, i) =>
        scores[i]?.logprobs.forEach(
          (logprob, n) => (observed -= (columns['observed']?.[n] ?? 0) * (weights[n] ?? 0) * logprob),
        ),
      );
      return { loss: replaced ?? observed - sum, metrics: { 'policy/toy': sum }, scores };
    },
    async optimizerStep({ learningRate }) {
      held.weight += learningRate * gradient;
      held.steps += 1;
      const gradientNorm = Math.abs(gradient);
      gradient = 0;
      return { gradientNorm, clipped: false };
    },
    async zeroGradients() {
      gradient = 0;
    },
    async save(folder, { optimizer }) {
      writeFileSync(join(folder, 'config.json'), '{}');
      writeFileSync(join(folder, 'model.safetensors'), JSON.stringify(held.weight));
      if (optimizer) writeFileSync(join(folder, 'optimizer.json'), JSON.stringify(held.steps));
    },
    async load(folder) {
      held.weight = JSON.parse(readFileSync(join(folder, 'model.safetensors'), 'utf8')) as number;
      held.steps = JSON.parse(readFileSync(join(folder, 'optimizer.json'), 'utf8')) as number;
    },
    dispose: async () => undefined,
  };
}

function scoresOf(request: ScoreRequest, weight: number): TokenScores {
  return {
    logprobs: Float32Array.from(request.positions, (t) => -weight * ((t % 7) + 1) * 0.01),
    entropies: new Float32Array(request.positions.length).fill(weight),
  };
}

/** Creates the toy. */
export function createToyEngine(options: ToyEngineOptions): ToyEngine {
  const policy = createToyModel(options.onLearn ?? (() => undefined));
  const critics: ToyModel[] = [];
  let samples = 0;
  const sampleFrom = async (held: ToyModel['held'], request: SampleRequest) => {
    await options.onSample?.((samples += 1));
    // a greedy draw is always the same
    const isGreedy = request.params.temperature === 0;
    const draw = isGreedy ? 0 : deriveSeed(request.seed, request.tokens.length) / 2 ** 32;
    const tokens = Int32Array.from(options.encode(options.say(draw, held.weight)));
    const positions = Int32Array.from(tokens, (_, index) => request.tokens.length + index);
    const scores = scoresOf({ tokens, positions }, held.weight);
    return { tokens, ...scores, stop: 'stop' as const, policyVersion: held.steps };
  };
  const openSampler = async (): ReturnType<PolicyEngine['openSampler']> => {
    const held = { ...policy.held };
    return {
      get version() {
        return held.steps;
      },
      sample: (request) => sampleFrom(held, request),
      release: () => undefined,
      refresh: async () => void Object.assign(held, policy.held),
      dispose: async () => undefined,
    };
  };
  const openCritic = async (headSeed?: number): Promise<CriticModel> => {
    const critic = createToyModel(() => undefined);
    if (headSeed !== undefined) critic.held.weight += (headSeed % 1024) / 2048;
    critics.push(critic);
    return {
      ...critic,
      values: async (requests) =>
        requests.map(({ positions }) => new Float32Array(positions.length).fill(critic.held.weight)),
    };
  };
  const openReference = async () => {
    const frozen = policy.held.weight;
    return {
      score: async (requests: readonly ScoreRequest[]) =>
        requests.map((request) => scoresOf(request, frozen)),
      dispose: async () => undefined,
    };
  };
  return {
    description: {
      kind: 'toy',
      model: 'toy',
      parameterCount: 1,
      vocabularySize: 70_000,
      contextLength: 4096,
      provider: 'none',
      threads: 1,
    },
    policy: {
      ...policy,
      get version() {
        return policy.held.steps;
      },
      sample: (request) => sampleFrom(policy.held, request),
      score: async (requests) => requests.map((request) => scoresOf(request, policy.held.weight)),
      release: () => undefined,
    },
    openCritic,
    openReference,
    openSampler,
    dispose: async () => undefined,
    weight: () => policy.held.weight,
    criticWeight: (index = 0) => critics[index]?.held.weight ?? 0.5,
  };
}

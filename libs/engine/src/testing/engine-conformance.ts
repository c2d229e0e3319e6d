/**
 * @file What any policy engine must do, as a list of cases that a spec runs. The engine under test is small and has
 * random weights; loss builders are given by the caller, because only he knows how his engine takes them.
 */
import type {
  Datum,
  LossSpec,
  PolicyEngine,
  SampleRequest,
  SampleResult,
  SamplingParams,
} from '@espalier/contracts';

export interface ConformanceSubject {
  /** makes an engine; the same weights every time */
  readonly create: () => Promise<PolicyEngine>;
  /** negative log-likelihood: per-token loss −logprob, no columns */
  readonly likelihoodLoss: LossSpec;
  /** squared error of a critic against the column `returns` */
  readonly valueLoss: LossSpec;
  /** an empty folder for each call */
  readonly temporaryFolder: () => string;
}

export interface ConformanceCase {
  readonly title: string;
  run(subject: ConformanceSubject): Promise<void>;
}

const plain: SamplingParams = {
  temperature: 1,
  topP: 1,
  topK: 0,
  maxTokens: 12,
  stopTokens: [],
  stopSequences: [],
};
const step = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};

function check(isTrue: boolean, finding: string): void {
  if (!isTrue) throw new Error(finding);
}

function checkEqual(found: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  const [a, b] = [Array.from(found).join(), Array.from(expected).join()];
  check(a === b, `${what} differ: found ${a}; expected ${b}`);
}

function checkClose(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  what: string,
): void {
  check(found.length === expected.length, `${what}: ${found.length} entries; expected ${expected.length}`);
  for (let i = 0; i < expected.length; i += 1) {
    const difference = Math.abs((found[i] as number) - (expected[i] as number));
    check(difference <= tolerance, `${what} differ by ${difference} at ${i}; expected at most ${tolerance}`);
  }
}

const prompt = (seed: number, length: number, vocabularySize: number): Int32Array =>
  Int32Array.from({ length }, (_, i) => (seed * 31 + i * i * 7 + i * 3 + 1) % vocabularySize);

function requestOf(engine: PolicyEngine, i: number, overrides: Partial<SampleRequest> = {}): SampleRequest {
  const tokens = prompt(i, 3 + ((i * 5) % 11), engine.description.vocabularySize);
  return { sequence: `s${i}`, tokens, params: plain, seed: 1000 + i, ...overrides };
}

function sameResult(a: SampleResult, b: SampleResult, what: string): void {
  checkEqual(a.tokens, b.tokens, `${what}: tokens`);
  checkEqual(a.logprobs, b.logprobs, `${what}: log-probabilities`);
  checkEqual(a.entropies, b.entropies, `${what}: entropies`);
  check(a.stop === b.stop, `${what}: stopped by ${a.stop}; expected ${b.stop}`);
}

const join = (...parts: ArrayLike<number>[]): Int32Array =>
  Int32Array.from(parts.flatMap((part) => Array.from(part)));

async function withEngine(
  subject: ConformanceSubject,
  body: (engine: PolicyEngine) => Promise<void>,
): Promise<void> {
  const engine = await subject.create();
  try {
    await body(engine);
  } finally {
    await engine.dispose();
  }
}

function sampled(
  title: string,
  body: (engine: PolicyEngine, subject: ConformanceSubject) => Promise<void>,
): ConformanceCase {
  return { title, run: (subject) => withEngine(subject, (engine) => body(engine, subject)) };
}

async function rejects(promise: Promise<unknown>, code: string): Promise<void> {
  const outcome = await promise.then(
    () => 'no error',
    (error: unknown) => (error as { readonly code?: string }).code ?? String(error),
  );
  check(outcome === code, `expected an error ${code}; got ${outcome}`);
}

/** A batch of data whose counted positions and weights differ. */
function dataOf(engine: PolicyEngine, count: number): Datum[] {
  const total = count * 4;
  return Array.from({ length: count }, (_, i) => {
    const tokens = prompt(i + 50, 6 + ((i * 7) % 9), engine.description.vocabularySize);
    const positions = Int32Array.from([1, 2, 4, 5]);
    const returns = Float32Array.from([0.5, -1, 2, 0.25]);
    return { tokens, positions, weights: new Float32Array(4).fill(1 / total), columns: { returns } };
  });
}

/** Cases about sampling. */
const samplingCases: readonly ConformanceCase[] = [
  sampled(
    'samples the same from the same seed and something else from another',
    async ({ policy, ...engine }) => {
      const ask = (sequence: string, seed: number) =>
        policy.sample(requestOf({ policy, ...engine } as PolicyEngine, 1, { sequence, seed }));
      const [a, b, c] = [await ask('a', 7), await ask('b', 7), await ask('c', 8)];
      sameResult(b, a, 'same seed');
      check(Array.from(a.tokens).join() !== Array.from(c.tokens).join(), 'two seeds gave the same 12 tokens');
    },
  ),
  sampled(
    'gives a sequence the same tokens and log-probabilities whoever shares its batch, in any order',
    async (engine) => {
      const alone = await engine.policy.sample(requestOf(engine, 2));
      for (const size of [3, 17]) {
        engine.policy.release(Array.from({ length: 20 }, (_, i) => `s${i}`));
        const members = Array.from({ length: size }, (_, i) => i);
        const order = size === 3 ? members : [...members].reverse();
        const results = await Promise.all(order.map((i) => engine.policy.sample(requestOf(engine, i))));
        sameResult(results[order.indexOf(2)] as SampleResult, alone, `among ${size}`);
      }
    },
  ),
  sampled('gives the same to a sequence that arrives while others decode', async (engine) => {
    const alone = await engine.policy.sample(requestOf(engine, 4));
    engine.policy.release(['s4']);
    const others = [0, 1, 2].map((i) =>
      engine.policy.sample(requestOf(engine, i, { params: { ...plain, maxTokens: 20 + 9 * i } })),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    const late = await engine.policy.sample(requestOf(engine, 4));
    await Promise.all(others);
    sameResult(late, alone, 'arrived late');
  }),
  sampled('shares a prompt among a group without changing any member', async (engine) => {
    const member = (i: number) => requestOf(engine, 6, { sequence: `m${i}`, seed: i });
    const alone = await engine.policy.sample(member(1));
    engine.policy.release(['m1']);
    const group = await Promise.all([0, 1, 2, 3].map((i) => engine.policy.sample(member(i))));
    sameResult(group[1] as SampleResult, alone, 'member of a group');
  }),
  sampled('reports log-probabilities and entropies that score() confirms', async (engine) => {
    for (const temperature of [1, 0.7]) {
      const request = requestOf(engine, 3, {
        sequence: `t${temperature}`,
        params: { ...plain, temperature },
      });
      const result = await engine.policy.sample(request);
      const tokens = join(request.tokens, result.tokens);
      const positions = Int32Array.from(result.tokens, (_, i) => request.tokens.length + i);
      const [scores] = await engine.policy.score([{ tokens, positions, temperature }]);
      checkClose(
        result.logprobs,
        scores?.logprobs ?? [],
        1e-5,
        `log-probabilities at temperature ${temperature}`,
      );
      checkClose(result.entropies, scores?.entropies ?? [], 1e-5, `entropies at temperature ${temperature}`);
    }
  }),
  sampled('stops at a stop token, keeps it, and says so', async (engine) => {
    const free = await engine.policy.sample(requestOf(engine, 5));
    const stopToken = free.tokens[4] as number;
    const first = free.tokens.indexOf(stopToken);
    const params = { ...plain, stopTokens: [stopToken] };
    const result = await engine.policy.sample(requestOf(engine, 5, { sequence: 'stopped', params }));
    checkEqual(result.tokens, free.tokens.slice(0, first + 1), 'tokens up to the stop token');
    check(result.stop === 'stop', `stopped by ${result.stop}; expected stop`);
  }),
  sampled('stops after a stop sequence', async (engine) => {
    const free = await engine.policy.sample(requestOf(engine, 5));
    const ending = Array.from(free.tokens.slice(3, 6));
    const result = await engine.policy.sample(
      requestOf(engine, 5, { sequence: 'stopped', params: { ...plain, stopSequences: [ending] } }),
    );
    checkEqual(result.tokens.slice(-3), ending, 'last tokens');
    check(
      result.stop === 'stop' && result.tokens.length <= 6,
      `stopped by ${result.stop} after ${result.tokens.length}`,
    );
  }),
  sampled('samples at most maxTokens', async (engine) => {
    for (const maxTokens of [0, 1, 5]) {
      const result = await engine.policy.sample(
        requestOf(engine, 5, { sequence: `max${maxTokens}`, params: { ...plain, maxTokens } }),
      );
      check(
        result.tokens.length === maxTokens && result.stop === 'length',
        `${result.tokens.length} tokens, ${result.stop}; expected ${maxTokens}, length`,
      );
    }
  }),
  sampled('stops when the context is full and refuses what is longer', async (engine) => {
    const { contextLength, vocabularySize } = engine.description;
    const tokens = prompt(9, contextLength - 3, vocabularySize);
    const result = await engine.policy.sample(requestOf(engine, 9, { tokens }));
    check(
      result.tokens.length === 3 && result.stop === 'context',
      `${result.tokens.length} tokens, ${result.stop}; expected 3, context`,
    );
    await rejects(
      engine.policy.sample(
        requestOf(engine, 9, { sequence: 'long', tokens: prompt(1, contextLength + 1, vocabularySize) }),
      ),
      'engine.context_exceeded',
    );
  }),
  sampled('refuses ids outside the vocabulary and sequences that do not grow', async (engine) => {
    const tokens = Int32Array.from([1, engine.description.vocabularySize]);
    await rejects(engine.policy.sample(requestOf(engine, 1, { tokens })), 'engine.invalid_request');
    await engine.policy.sample(requestOf(engine, 1));
    await rejects(
      engine.policy.sample(requestOf(engine, 1, { tokens: prompt(77, 30, 5) })),
      'engine.invalid_request',
    );
    engine.policy.release(['s1']);
    await engine.policy.sample(requestOf(engine, 1, { tokens: prompt(77, 30, 5) }));
  }),
  sampled('goes on with a grown sequence as a fresh one would', async (engine) => {
    const first = await engine.policy.sample(requestOf(engine, 8));
    const tokens = join(
      requestOf(engine, 8).tokens,
      first.tokens,
      prompt(3, 7, engine.description.vocabularySize),
    );
    const grown = await engine.policy.sample(requestOf(engine, 8, { tokens }));
    const fresh = await engine.policy.sample(requestOf(engine, 8, { tokens, sequence: 'fresh' }));
    checkEqual(grown.tokens, fresh.tokens, 'tokens');
    checkClose(grown.logprobs, fresh.logprobs, 1e-5, 'log-probabilities');
  }),
  sampled('gives a second turn the same bits whoever shares its batch', async (engine) => {
    const turn = async (i: number) => {
      const first = await engine.policy.sample(requestOf(engine, i));
      const tokens = join(
        requestOf(engine, i).tokens,
        first.tokens,
        prompt(i, 4 + i, engine.description.vocabularySize),
      );
      return engine.policy.sample(requestOf(engine, i, { tokens }));
    };
    const alone = await turn(2);
    engine.policy.release(['s2']);
    const together = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(turn));
    sameResult(together[2] as SampleResult, alone, 'second turn');
  }),
  sampled('takes the most probable token at temperature 0 and with top-k 1', async (engine) => {
    const greedy = await engine.policy.sample(
      requestOf(engine, 7, { sequence: 'g', params: { ...plain, temperature: 0 } }),
    );
    const top = await engine.policy.sample(
      requestOf(engine, 7, { sequence: 'k', params: { ...plain, topK: 1 } }),
    );
    const nucleus = await engine.policy.sample(
      requestOf(engine, 7, { sequence: 'p', params: { ...plain, topP: 1e-6 } }),
    );
    checkEqual(top.tokens, greedy.tokens, 'top-k 1');
    checkEqual(nucleus.tokens, greedy.tokens, 'a tiny nucleus');
    checkClose(top.logprobs, greedy.logprobs, 1e-6, 'log-probabilities before filtering');
  }),
  sampled('cancels by signal without disturbing others', async (engine) => {
    const controller = new AbortController();
    const params = { ...plain, maxTokens: 30 };
    const alone = await engine.policy.sample(requestOf(engine, 1, { params }));
    engine.policy.release(['s1']);
    const kept = engine.policy.sample(requestOf(engine, 1, { params }));
    const cancelled = engine.policy.sample(requestOf(engine, 2, { params }), controller.signal);
    setTimeout(() => controller.abort(), 3);
    await rejects(cancelled, 'engine.cancelled');
    sameResult(await kept, alone, 'the other sequence');
  }),
];

/** Cases about learning. */
const learningCases: readonly ConformanceCase[] = [
  sampled('gives the same gradient in one call and in several', async (engine, subject) => {
    const other = await subject.create();
    const data = dataOf(engine, 6);
    await engine.policy.forwardBackward(data, subject.likelihoodLoss);
    for (const part of [data.slice(0, 1), data.slice(1, 4), data.slice(4)])
      await other.policy.forwardBackward(part, subject.likelihoodLoss);
    const [a, b] = [await engine.policy.optimizerStep(step), await other.policy.optimizerStep(step)];
    await other.dispose();
    checkClose([a.gradientNorm / b.gradientNorm], [1], 1e-5, 'ratio of gradient norms');
  }),
  sampled('drops gathered gradients when asked', async (engine, subject) => {
    await engine.policy.forwardBackward(dataOf(engine, 2), subject.likelihoodLoss);
    await engine.policy.zeroGradients();
    const { gradientNorm } = await engine.policy.optimizerStep(step);
    check(gradientNorm === 0, `gradient norm ${gradientNorm}; expected 0`);
  }),
  sampled('reports the scores under the weights before the update', async (engine, subject) => {
    const data = dataOf(engine, 3);
    const before = await engine.policy.score(data);
    const { scores, loss } = await engine.policy.forwardBackward(data, subject.likelihoodLoss);
    data.forEach((_, i) =>
      checkClose(
        scores?.[i]?.logprobs ?? [],
        before[i]?.logprobs ?? [],
        1e-6,
        `log-probabilities of datum ${i}`,
      ),
    );
    const expected =
      before.reduce((total, { logprobs }) => total - logprobs.reduce((a, b) => a + b, 0), 0) / 12;
    checkClose([loss], [expected], 1e-5, 'loss');
  }),
  sampled('lowers the loss step by step and counts versions', async (engine, subject) => {
    const data = dataOf(engine, 3);
    const losses: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      losses.push((await engine.policy.forwardBackward(data, subject.likelihoodLoss)).loss);
      await engine.policy.optimizerStep(step);
    }
    check((losses[7] as number) < 0.9 * (losses[0] as number), `losses ${losses.join()}; expected a fall`);
    check(engine.policy.version === 8, `version ${engine.policy.version}; expected 8`);
    const result = await engine.policy.sample(requestOf(engine, 1));
    check(result.policyVersion === 8, `sampled with version ${result.policyVersion}; expected 8`);
  }),
  sampled('samples with the new weights after a step, also in a cached sequence', async (engine, subject) => {
    const request = requestOf(engine, 1);
    const first = await engine.policy.sample(request);
    await engine.policy.forwardBackward(dataOf(engine, 3), subject.likelihoodLoss);
    await engine.policy.optimizerStep({ ...step, learningRate: 0.1 });
    const tokens = join(request.tokens, first.tokens);
    const grown = await engine.policy.sample({ ...request, tokens });
    const positions = Int32Array.from(grown.tokens, (_, i) => tokens.length + i);
    const [scores] = await engine.policy.score([{ tokens: join(tokens, grown.tokens), positions }]);
    checkClose(grown.logprobs, scores?.logprobs ?? [], 1e-5, 'log-probabilities');
  }),
  sampled('goes on from what it saved as if nothing had happened', async (engine, subject) => {
    const train = async (target: PolicyEngine) => {
      await target.policy.forwardBackward(dataOf(target, 4), subject.likelihoodLoss);
      return target.policy.optimizerStep(step);
    };
    await train(engine);
    const folder = subject.temporaryFolder();
    await engine.policy.save(folder, { optimizer: true });
    const other = await subject.create();
    await other.policy.load(folder, { optimizer: true });
    check(other.policy.version === engine.policy.version, `version ${other.policy.version} after loading`);
    await train(engine);
    await train(other);
    const [a, b] = [await engine.policy.score(dataOf(engine, 2)), await other.policy.score(dataOf(other, 2))];
    await other.dispose();
    checkEqual(
      b[0]?.logprobs ?? [],
      a[0]?.logprobs ?? [],
      'log-probabilities after loading and one more step',
    );
  }),
  sampled('opens a reference that stays as it was', async (engine, subject) => {
    const data = dataOf(engine, 2);
    const reference = await engine.openReference();
    const before = await engine.policy.score(data);
    await engine.policy.forwardBackward(data, subject.likelihoodLoss);
    await engine.policy.optimizerStep(step);
    checkEqual(
      (await reference.score(data))[0]?.logprobs ?? [],
      before[0]?.logprobs ?? [],
      'scores of the reference',
    );
    check(
      (await engine.policy.score(data))[0]?.logprobs[0] !== before[0]?.logprobs[0],
      'the policy did not move',
    );
  }),
  sampled('opens a critic that begins at zero and learns returns', async (engine, subject) => {
    const critic = await engine.openCritic();
    const data = dataOf(engine, 2);
    const [before] = await critic.values(data);
    checkEqual(before ?? [], [0, 0, 0, 0], 'values of a new critic');
    let loss = Infinity;
    for (let i = 0; i < 30; i += 1) {
      const result = await critic.forwardBackward(data, subject.valueLoss);
      if (i === 0)
        checkEqual(result.values?.[0] ?? [], [0, 0, 0, 0], 'values under the weights before the update');
      loss = result.loss;
      await critic.optimizerStep({ ...step, learningRate: 0.02, maxGradientNorm: 100 });
    }
    check(
      loss < 0.5,
      `value loss ${loss} after 30 steps; expected below 0.5 (it began at ${(0.25 + 1 + 4 + 0.0625) / 4})`,
    );
  }),
  sampled('refuses a step that is not finite and keeps its weights', async (engine, subject) => {
    const data = dataOf(engine, 2);
    const before = await engine.policy.score(data);
    const broken = data.map((datum, i) =>
      i === 0 ? { ...datum, weights: new Float32Array(4).fill(NaN) } : datum,
    );
    await rejects(engine.policy.forwardBackward(broken, subject.likelihoodLoss), 'engine.not_finite');
    const { gradientNorm } = await engine.policy.optimizerStep(step);
    check(gradientNorm === 0, `gradient norm ${gradientNorm} after a refused step; expected 0`);
    checkEqual((await engine.policy.score(data))[0]?.logprobs ?? [], before[0]?.logprobs ?? [], 'scores');
  }),
];

/** All cases, in the order a reader would try them. */
export const engineConformance: readonly ConformanceCase[] = [...samplingCases, ...learningCases];

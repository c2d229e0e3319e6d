/** Servers that misbehave, over HTTP: typed errors, and nothing is trained on what is not known to be right. */
import type { Datum, PolicyEngine, SampleRequest } from '@espalier/contracts';
import { nllLoss } from '@espalier/objective';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeServer } from './probe-server.js';
import type { EngineServer } from './server/engine-server.js';
import {
  json,
  type Misbehaviour,
  type PassedAnswer,
  startMisbehaving,
} from './testing/misbehaving-server.js';
import { openTiny, startTinyServer, tinyClient } from './testing/tiny-server.js';
import { createTinkerEngine, type TinkerEngineOptions } from './tinker-engine.js';
import {
  decodePassResult,
  decodeSample,
  encodePassResult,
  encodeSample,
  protobufType,
} from './wire/protobuf.js';

const step = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};
const data: Datum[] = [0, 1].map((i) => ({
  tokens: Int32Array.of(3 + i, 7, 11, 13, 17),
  positions: Int32Array.of(2, 4),
  weights: Float32Array.of(0.25, 0.25),
  columns: {},
}));
const request: SampleRequest = {
  sequence: 'a',
  tokens: Int32Array.of(4, 5, 6),
  seed: 3,
  params: { temperature: 1, topP: 1, topK: 0, maxTokens: 6, stopTokens: [], stopSequences: [] },
};

let server: EngineServer;
/** after one step, without any trouble */
let expected: readonly number[];

async function learnAndScore({ policy }: PolicyEngine): Promise<number[]> {
  await policy.forwardBackward(data, nllLoss);
  await policy.optimizerStep(step);
  const scores = await policy.score(data);
  return scores.flatMap(({ logprobs }) => [...logprobs]);
}

beforeAll(async () => {
  server = await startTinyServer();
  const engine = await openTiny();
  expected = await learnAndScore(engine);
  await engine.dispose();
});
afterAll(() => server.close());

/** Runs a client against a server that misbehaves. */
async function against<Result>(
  misbehave: Misbehaviour,
  work: (engine: PolicyEngine, countOf: (path: string) => number) => Promise<Result>,
  options: Partial<TinkerEngineOptions> = {},
): Promise<Result> {
  const bad = await startMisbehaving(server.url, misbehave);
  try {
    const engine = await createTinkerEngine(tinyClient(bad.url, { patienceMs: 60_000, ...options }));
    try {
      return await work(engine, bad.countOf);
    } finally {
      await engine.dispose();
    }
  } finally {
    await bad.close();
  }
}

/** Changes results of passes, and leaves everything else. */
const onPass = (
  change: (answer: ReturnType<typeof decodePassResult>) => ReturnType<typeof decodePassResult>,
  times = Infinity,
): Misbehaviour => {
  let seen = 0;
  return async ({ path, pass }) => {
    const answer = await pass();
    if (path !== 'retrieve_future' || answer.type !== protobufType) return answer;
    seen += 1;
    return seen > times
      ? answer
      : { ...answer, body: Buffer.from(encodePassResult(change(decodePassResult(answer.body)))) };
  };
};

/** Changes sampled sequences. */
const onSample =
  (change: (answer: ReturnType<typeof decodeSample>) => ReturnType<typeof decodeSample>): Misbehaviour =>
  async ({ path, pass }) => {
    const answer = await pass();
    if (path !== 'retrieve_future' || answer.type !== protobufType) return answer;
    return { ...answer, body: Buffer.from(encodeSample(change(decodeSample(answer.body)))) };
  };

const first = (answer: ReturnType<typeof decodeSample>) =>
  answer.sequences[0] ?? { stop: 'stop' as const, tokens: new Int32Array() };

describe('trouble that passes', () => {
  const cases: Record<string, Misbehaviour> = {
    'answers that are dropped after the request was taken': async ({ count, pass }) => {
      const answer = await pass();
      return count === 0 ? 'drop' : answer;
    },
    'connections that are closed before the request was read': ({ count, pass }) =>
      count === 0 ? 'drop' : pass(),
    '429 with a time to wait': ({ count, pass }) =>
      count < 2 ? json({ detail: 'slow down' }, 429, { 'retry-after': '0' }) : pass(),
    '500 and 503 in turns': ({ count, pass }) =>
      count < 3 ? json({ detail: 'trouble' }, count % 2 ? 503 : 500) : pass(),
    'results that are not there yet': ({ path, count, pass }) =>
      path === 'retrieve_future' && count % 3 !== 2
        ? json({ type: 'try_again', request_id: 'x', queue_state: 'active' }, 408)
        : pass(),
    'heartbeats that fail': ({ path, pass }) => (path === 'session_heartbeat' ? 'drop' : pass()),
  };
  it.each(Object.entries(cases))('changes nothing: %s', async (_, misbehave) => {
    const found = await against(misbehave, learnAndScore);
    found.forEach((value, n) => expect(value).toBeCloseTo(expected[n] as number, 5));
  });

  it('makes good a future that the server has forgotten, without training on it twice', async () => {
    let forgotten = 0;
    const misbehave: Misbehaviour = async ({ path, pass }) => {
      const answer = await pass();
      if (path !== 'retrieve_future' || answer.type !== protobufType || forgotten > 0) return answer;
      forgotten += 1;
      return json({ detail: 'Future not found' }, 404);
    };
    const found = await against(misbehave, learnAndScore);
    expect(forgotten).toBe(1);
    found.forEach((value, n) => expect(value).toBeCloseTo(expected[n] as number, 5));
  });

  it('takes answers in any order for what they answer', async () => {
    const delays = [40, 0, 20, 10];
    const misbehave: Misbehaviour = async ({ path, count, pass }) => {
      const answer = await pass();
      if (path === 'retrieve_future') await new Promise((resolve) => setTimeout(resolve, delays[count % 4]));
      return answer;
    };
    const ask = (i: number): SampleRequest => ({ ...request, sequence: `s${i}`, seed: i });
    const many = (engine: PolicyEngine) => Promise.all([1, 2, 3, 4].map((i) => engine.policy.sample(ask(i))));
    const late = await against(misbehave, many);
    const own = await openTiny();
    const inOrder = await many(own);
    await own.dispose();
    expect(late.map(({ tokens }) => [...tokens])).toEqual(inOrder.map(({ tokens }) => [...tokens]));
  });
});

describe('trouble that stays', () => {
  const only =
    (where: string, answer: PassedAnswer | 'drop'): Misbehaviour =>
    ({ path, pass }) =>
      path === where ? answer : pass();
  it.each([
    [
      'no answer',
      only('forward_backward', 'drop'),
      'engine.unreachable',
      /forward_backward.*for 0 s|no answer/,
    ],
    ['a storm of 429', only('forward_backward', json({ detail: 'busy' }, 429)), 'engine.overloaded', /busy/],
    ['a storm of 503', only('optim_step', json({ detail: 'full' }, 503)), 'engine.overloaded', /full/],
    ['a storm of 500', only('optim_step', json({ detail: 'broken' }, 500)), 'engine.unreachable', /broken/],
    [
      'a refusal',
      only('optim_step', json({ detail: 'learning_rate: no' }, 400)),
      'engine.refused',
      /learning_rate: no/,
    ],
    ['a key that is not accepted', only('optim_step', json({}, 401)), 'engine.denied', /no key was sent/],
    [
      'a route that is not there',
      only('optim_step', json({ detail: 'Not Found' }, 404)),
      'engine.unsupported',
      /no such route/,
    ],
    ['an answer without a future', only('optim_step', json({ ok: true })), 'engine.bad_answer', /request_id/],
    [
      'a page instead of an answer',
      only('optim_step', { status: 200, type: 'text/html', body: Buffer.from('<html>hello') }),
      'engine.bad_answer',
      /hello/,
    ],
  ] as const)(
    'ends a step with a typed error, at once unless it may pass: %s',
    async (_, misbehave, code, message) => {
      const work = (engine: PolicyEngine) =>
        expect(learnAndScore(engine)).rejects.toMatchObject({
          code,
          message: expect.stringMatching(message) as string,
        });
      await against(misbehave, work, { patienceMs: 300 });
    },
  );

  it('does not repeat what was refused', async () => {
    const misbehave = only('optim_step', json({ detail: 'no' }, 422));
    await against(misbehave, async (engine, countOf) => {
      await expect(learnAndScore(engine)).rejects.toMatchObject({ code: 'engine.refused' });
      expect(countOf('optim_step')).toBe(1);
    });
  });

  it('gives up on a model that is lost again and again', async () => {
    const misbehave = only('optim_step', json({ detail: 'Model not found' }, 404));
    await against(misbehave, (engine) =>
      expect(learnAndScore(engine)).rejects.toMatchObject({ code: 'engine.lost' }),
    );
  }, 60_000);
});

describe('a result that never comes', () => {
  const never: Misbehaviour = async ({ path, pass }) => {
    const answer = await pass();
    // models are opened, passes end in nothing
    return path === 'retrieve_future' && answer.type === protobufType
      ? json({ type: 'try_again', request_id: 'x', queue_state: 'active' }, 408)
      : answer;
  };
  const learn = ({ policy }: PolicyEngine) => policy.forwardBackward(data, nllLoss);

  it('is told once, and ends the run after engine.resultSeconds, whatever the patience', async () => {
    const told: string[] = [];
    const onTrouble = (message: string): void => void told.push(message);
    const work = (engine: PolicyEngine) =>
      expect(learn(engine)).rejects.toMatchObject({
        code: 'engine.unreachable',
        message: expect.stringMatching(
          /await forward_backward: no result for .*raise engine.resultSeconds/,
        ) as string,
      });
    await against(never, work, { resultMs: 3000, lateMs: 1500, onTrouble });
    expect(told).toEqual([
      expect.stringMatching(/no result of forward_backward for .* s more \(engine.resultSeconds\)/),
    ]);
  });

  it('is awaited no longer when the run is asked to stop', async () => {
    const stop = new AbortController();
    const work = (engine: PolicyEngine) =>
      expect(learn(engine)).rejects.toMatchObject({
        code: 'engine.unreachable',
        message: expect.stringMatching(/the run is asked to stop/) as string,
      });
    // the stop comes when the result is late already
    await against(never, work, { lateMs: 300, onTrouble: () => stop.abort(), stop: stop.signal });
  });

  it('may come late after a request to stop that came early', async () => {
    const stop = new AbortController();
    stop.abort();
    const found = await against(({ pass }) => pass(), learnAndScore, { stop: stop.signal });
    found.forEach((value, n) => expect(value).toBeCloseTo(expected[n] as number, 5));
  });
});

describe('a server that is opened', () => {
  const open = (misbehave: Misbehaviour, options: Partial<TinkerEngineOptions> = {}) =>
    against(misbehave, async () => 'opened', { patienceMs: 200, ...options });
  const capable =
    (value: unknown): Misbehaviour =>
    ({ path, pass }) =>
      path === 'get_server_capabilities' ? json(value) : pass();

  it('is refused when it speaks something else', async () => {
    await expect(open(capable({ version: 9 }))).rejects.toMatchObject({ code: 'engine.bad_answer' });
    await expect(open(() => json({ detail: 'Not Found' }, 404))).rejects.toMatchObject({
      code: 'engine.unsupported',
    });
  });

  it('is refused when it has another model, and names those that it has', async () => {
    await expect(open(({ pass }) => pass(), { model: 'large' })).rejects.toMatchObject({
      code: 'engine.unknown_model',
      message: expect.stringMatching(/no model "large", but "tiny"/) as string,
    });
  });

  it('is unreachable where nobody listens', async () => {
    const gone = await startMisbehaving(server.url, ({ pass }) => pass());
    await gone.close();
    await expect(createTinkerEngine(tinyClient(gone.url, { patienceMs: 100 }))).rejects.toMatchObject({
      code: 'engine.unreachable',
      message: expect.stringMatching(/ECONNREFUSED.*start the server/) as string,
    });
  });

  it('is refused when it weighs losses in a way that is not known', async () => {
    // a server of somebody else, whose gradient norms change with nothing
    let norm = 1;
    const misbehave: Misbehaviour = async ({ path, pass }) => {
      if (path === 'get_server_capabilities') return json({ supported_models: [{ model_name: 'tiny' }] });
      const answer = await pass();
      if (path !== 'retrieve_future' || !answer.body.includes('grad_norm')) return answer;
      norm *= 1.5;
      return json({ metrics: { grad_norm: norm } });
    };
    await expect(open(misbehave, { patienceMs: 2000 })).rejects.toMatchObject({
      code: 'engine.unsupported',
      message: expect.stringMatching(/how it weighs losses is not known/) as string,
    });
  });

  it.each([
    ['no norm of the gradient', {}],
    ['the norm 0', { grad_norm: 0 }],
  ])('is refused when it reports %s, unless the spec says how it weighs losses', async (what, metrics) => {
    const misbehave: Misbehaviour = async ({ path, pass }) => {
      if (path === 'get_server_capabilities') return json({ supported_models: [{ model_name: 'tiny' }] });
      const answer = await pass();
      return path === 'retrieve_future' && answer.body.includes('grad_norm') ? json({ metrics }) : answer;
    };
    await expect(open(misbehave, { patienceMs: 2000 })).rejects.toMatchObject({
      code: 'engine.unsupported',
      message: expect.stringMatching(new RegExp(`reports ${what},.*set engine.reduction: sum`)) as string,
    });
    const told = { patienceMs: 60_000, reduction: 'sum' } as const;
    const found = await against(misbehave, learnAndScore, told);
    found.forEach((value, n) => expect(value).toBeCloseTo(expected[n] as number, 5));
  });

  const probe = (url: string) => probeServer({ url, model: 'tiny', apiKey: undefined, patienceMs: 5_000 });
  it.each(['load_weights', 'forward', 'retrieve_future'])(
    'is refused without the route %s',
    async (route) => {
      const bad = await startMisbehaving(server.url, ({ path, pass }) =>
        path === route ? json({ detail: 'Not Found' }, 404) : pass(),
      );
      await expect(probe(bad.url)).rejects.toMatchObject({
        code: 'engine.unsupported',
        message: expect.stringContaining(`no route ${route}, which training needs`) as string,
      });
      await bad.close();
    },
  );

  it('is probed for the routes that training needs', async () => {
    expect(await probe(server.url)).toEqual({ contextLength: 160, isOurs: true, takesGraphs: true });
  });

  it('must train at temperature 1 unless it is ours', async () => {
    const foreign = capable({ supported_models: [{ model_name: 'tiny' }] });
    await expect(open(foreign, { temperature: 0.7 })).rejects.toThrow(
      /temperature 0.7.*set rollout.temperature to 1/,
    );
  });
});

describe('results that cannot be right', () => {
  const logprobs = (change: (values: Float32Array) => Float32Array) =>
    onPass(
      ({ outputs, metrics }) => ({
        metrics,
        outputs: outputs.map((one) => ({ ...one, logprobs: change(one['logprobs'] as Float32Array) })),
      }),
      1,
    );
  it.each([
    ['NaN', logprobs((values) => values.map(() => Number.NaN)), 'engine.not_finite'],
    ['infinity', logprobs((values) => values.map(() => -Infinity)), 'engine.not_finite'],
    ['log-probabilities above 0', logprobs((values) => values.map(() => 1)), 'engine.bad_answer'],
    ['too few values', logprobs((values) => values.slice(1)), 'engine.bad_answer'],
    ['too many values', logprobs((values) => Float32Array.of(...values, -1)), 'engine.bad_answer'],
    [
      'too few results',
      onPass(({ outputs, metrics }) => ({ metrics, outputs: outputs.slice(1) }), 1),
      'engine.bad_answer',
    ],
    [
      'no log-probabilities',
      onPass(({ metrics }) => ({ metrics, outputs: data.map(() => ({ loss: Float32Array.of(1) })) }), 1),
      'engine.bad_answer',
    ],
    [
      'entropies out of range',
      onPass(
        ({ outputs, metrics }) => ({
          metrics,
          outputs: outputs.map((one) => ({
            ...one,
            entropies: (one['entropies'] as Float32Array).map(() => 99),
          })),
        }),
        1,
      ),
      'engine.bad_answer',
    ],
  ] as const)('of a pass are not trained on: %s', async (_, misbehave, code) => {
    const found = await against(misbehave, async (engine) => {
      await expect(engine.policy.forwardBackward(data, nllLoss)).rejects.toMatchObject({ code });
      // the gradient that the server holds is dropped: the next batch is learned as if nothing had been
      return learnAndScore(engine);
    });
    found.forEach((value, n) => expect(value).toBeCloseTo(expected[n] as number, 5));
  });

  it('of a step are undone', async () => {
    let isFirst = true;
    const misbehave: Misbehaviour = async ({ path, pass }) => {
      const answer = await pass();
      if (path !== 'retrieve_future' || !isFirst || !answer.body.includes('grad_norm')) return answer;
      isFirst = false;
      return json({ type: 'optim_step', metrics: { 'grad_norm:mean': null } });
    };
    const found = await against(misbehave, async (engine) => {
      await engine.policy.forwardBackward(data, nllLoss);
      await expect(engine.policy.optimizerStep(step)).rejects.toMatchObject({ code: 'engine.not_finite' });
      expect(engine.policy.version).toBe(0);
      return learnAndScore(engine);
    });
    found.forEach((value, n) => expect(value).toBeCloseTo(expected[n] as number, 5));
  });

  it.each([
    [
      'no log-probabilities',
      onSample((answer) => ({ sequences: [{ ...first(answer), logprobs: undefined }] })),
      'engine.bad_answer',
      /choose a server that gives them/,
    ],
    [
      'fewer log-probabilities than tokens',
      onSample((answer) => ({ sequences: [{ ...first(answer), logprobs: Float32Array.of(-1) }] })),
      'engine.bad_answer',
      /1 log-probabilities for 6 tokens/,
    ],
    [
      'NaN',
      onSample((answer) => ({
        sequences: [{ ...first(answer), logprobs: new Float32Array(6).fill(Number.NaN) }],
      })),
      'engine.not_finite',
      /NaN/,
    ],
    [
      'ids outside the vocabulary',
      onSample((answer) => ({
        sequences: [{ ...first(answer), tokens: first(answer).tokens.map(() => 99) }],
      })),
      'engine.bad_answer',
      /token 99, ids are 0 to 60/,
    ],
    [
      'no tokens',
      onSample(() => ({
        sequences: [{ stop: 'stop', tokens: new Int32Array(), logprobs: new Float32Array() }],
      })),
      'engine.bad_answer',
      /no tokens/,
    ],
    [
      'more tokens than were asked for',
      onSample((answer) => ({
        sequences: [{ ...first(answer), tokens: new Int32Array(9), logprobs: new Float32Array(9) }],
      })),
      'engine.bad_answer',
      /at most 6/,
    ],
    [
      'an end without a reason',
      onSample((answer) => ({
        sequences: [
          {
            ...first(answer),
            tokens: new Int32Array(2),
            logprobs: new Float32Array(2),
            entropies: new Float32Array(2),
          },
        ],
      })),
      'engine.bad_answer',
      /after 2 of 6/,
    ],
    [
      'two sequences',
      onSample((answer) => ({ sequences: [...answer.sequences, ...answer.sequences] })),
      'engine.bad_answer',
      /2 sequences/,
    ],
  ] as const)('of sampling are refused: %s', async (_, misbehave, code, message) => {
    await against(misbehave, (engine) =>
      expect(engine.policy.sample(request)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message) as string,
      }),
    );
  });

  it('of sampling are refused when the stop token is left out', async () => {
    const misbehave = onSample((answer) => {
      const { tokens, logprobs = new Float32Array(), entropies } = first(answer);
      const cut = (values: Float32Array | undefined) => values?.slice(0, 2);
      return {
        sequences: [
          {
            stop: 'stop',
            tokens: tokens.slice(0, 2),
            logprobs: logprobs.slice(0, 2),
            entropies: cut(entropies),
          },
        ],
      };
    });
    const params = { ...request.params, stopTokens: [60] };
    await against(misbehave, (engine) =>
      expect(engine.policy.sample({ ...request, params })).rejects.toThrow(/may leave stop tokens out/),
    );
  });
});

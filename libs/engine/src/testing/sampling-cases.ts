/** @file What any policy engine must do when it samples. */
import type { PolicyEngine, SampleResult } from '@espalier/contracts';
import {
  check,
  checkClose,
  checkEqual,
  type ConformanceCase,
  join,
  plain,
  prompt,
  rejects,
  requestOf,
  sameResult,
  sampled,
} from './conformance-case.js';

/** Cases about sampling. */
export const samplingCases: readonly ConformanceCase[] = [
  sampled(
    'samples the same from the same seed and something else from another',
    async ({ policy, ...engine }) => {
      const ask = (sequence: string, seed: number) =>
        policy.sample(requestOf({ policy, ...engine } as PolicyEngine, 1, { sequence, seed }));
      const a = await ask('a', 7);
      const b = await ask('b', 7);
      const c = await ask('c', 8);
      sameResult(b, a, 'same seed');
      check(Array.from(a.tokens).join() !== Array.from(c.tokens).join(), 'two seeds gave the same 12 tokens');
    },
  ),
  sampled(
    'gives a sequence the same tokens and log-probabilities whatever else is in its batch, in any order',
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
  ...[1, 0.7].map((temperature) =>
    sampled(
      `reports log-probabilities and entropies that score() confirms at temperature ${temperature}`,
      async (engine, subject) => {
        const request = requestOf(engine, 3, { params: { ...plain, temperature } });
        const result = await engine.policy.sample(request);
        const tokens = join(request.tokens, result.tokens);
        const positions = Int32Array.from(result.tokens, (_, i) => request.tokens.length + i);
        const [scores] = await engine.policy.score([{ tokens, positions, temperature }]);
        const tolerance = subject.tolerance ?? 1e-5;
        checkClose(result.logprobs, scores?.logprobs ?? [], tolerance, 'log-probabilities');
        checkClose(result.entropies, scores?.entropies ?? [], tolerance, 'entropies');
      },
    ),
  ),
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
  sampled('shows a reply as it grows, if it does, and ends it where the watcher says so', async (engine) => {
    const free = await engine.policy.sample(requestOf(engine, 5));
    let seen: number[] = [];
    const watch = (tokens: readonly number[], logprobs: readonly number[]): boolean => {
      seen = [...tokens];
      checkEqual(logprobs, free.logprobs.slice(0, seen.length), 'log-probabilities that the watcher sees');
      return seen.length >= 3;
    };
    const result = await engine.policy.sample(
      requestOf(engine, 5, { sequence: 'watched' }),
      undefined,
      watch,
    );
    checkEqual(result.tokens, free.tokens.slice(0, result.tokens.length), 'tokens of the watched reply');
    // an engine that has its tokens elsewhere may ignore the watcher
    if (seen.length === 0) checkEqual(result.tokens, free.tokens, 'tokens of the reply that was not watched');
    else
      check(
        result.tokens.length === 3 && result.stop === 'stop',
        `${result.tokens.length} tokens, ${result.stop}; expected 3, stop`,
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
  sampled('continues a grown sequence as a fresh one would', async (engine) => {
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
  sampled('gives a second turn the same whatever else is in its batch', async (engine, { tolerance }) => {
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
    sameResult(together[2] as SampleResult, alone, 'second turn', tolerance);
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
  sampled('gives greedy and drawn answers of one batch what each gets alone', async (engine) => {
    const greedy = { ...plain, temperature: 0 };
    const ask = (i: number) =>
      engine.policy.sample(requestOf(engine, i, { params: i % 2 === 0 ? plain : greedy }));
    const [drawn, sure] = [await ask(2), await ask(3)];
    engine.policy.release(['s2', 's3']);
    const together = await Promise.all([0, 1, 2, 3, 4, 5].map(ask));
    sameResult(together[2] as SampleResult, drawn, 'drawn among greedy ones');
    sameResult(together[3] as SampleResult, sure, 'greedy among drawn ones');
    const truncated = { ...plain, topP: 0.7 };
    engine.policy.release([0, 1, 2, 3, 4, 5].map((i) => `s${i}`));
    const others = [0, 1].map((i) => engine.policy.sample(requestOf(engine, i, { params: truncated })));
    const [sureAmong, drawnAmong] = await Promise.all([
      engine.policy.sample(requestOf(engine, 3, { params: { ...truncated, temperature: 0 } })),
      ask(2),
      ...others,
    ]);
    sameResult(sureAmong, sure, 'greedy among those of a nucleus');
    sameResult(drawnAmong, drawn, 'drawn among those of a nucleus');
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

/** @file What any policy engine must do with requests that declare a prefix shared by others. */
import type { PolicyEngine, SampleRequest, SampleResult } from '@espalier/contracts';
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

/** Prompts of group g: its own first tokens, followed by what distinguishes its members, if anything. */
function memberOf(engine: PolicyEngine, group: number, index: number, own = 0): SampleRequest {
  const { vocabularySize } = engine.description;
  const sharedPrefix = [70, 97, 64, 81][group % 4] as number;
  const tokens = join(
    prompt(group + 20, sharedPrefix, vocabularySize),
    prompt(index + 3, own, vocabularySize),
  );
  return {
    sequence: `g${group}/${index}`,
    tokens,
    params: plain,
    seed: 100 * group + index,
    sharedPrefix,
  };
}

/** Two turns of a member; the second adds an observation of its own length. */
async function twoTurns(engine: PolicyEngine, request: SampleRequest): Promise<SampleResult[]> {
  const first = await engine.policy.sample(request);
  const { vocabularySize } = engine.description;
  const seen = prompt(request.seed + 7, 2 + (request.seed % 5), vocabularySize);
  const second = await engine.policy.sample({ ...request, tokens: join(request.tokens, first.tokens, seen) });
  return [first, second];
}

function sameTurns(
  found: readonly SampleResult[],
  expected: readonly SampleResult[],
  what: string,
  tolerance?: number,
): void {
  expected.forEach((turn, i) =>
    sameResult(found[i] as SampleResult, turn, `${what}, turn ${i + 1}`, tolerance),
  );
}

/** Cases about declared prefixes. */
export const sharedPrefixCases: readonly ConformanceCase[] = [
  sampled(
    'gives a member the same alone, in its group and among other groups',
    async (engine, { tolerance }) => {
      const own = (index: number): number => (index % 2) * 9; // prompts that end with the prefix, and behind it
      const one = (group: number, index: number) =>
        twoTurns(engine, memberOf(engine, group, index, own(index)));
      for (const index of [2, 3]) {
        const alone = await one(0, index);
        engine.policy.release([`g0/${index}`]);
        const group = await Promise.all([0, 1, 2, 3].map((other) => one(0, other)));
        sameTurns(group[index] as SampleResult[], alone, `member ${index} in its group`, tolerance);
        const places = [3, 2, 1, 0].flatMap((g) => [4, 3, 2, 1, 0].map((m) => [g, m] as const));
        engine.policy.release(places.map(([g, m]) => `g${g}/${m}`));
        const all = await Promise.all(places.map(([g, m]) => one(g, m)));
        const at = places.findIndex(([g, m]) => g === 0 && m === index);
        sameTurns(all[at] as SampleResult[], alone, `member ${index} among groups`, tolerance);
        engine.policy.release(places.map(([g, m]) => `g${g}/${m}`));
      }
    },
  ),
  sampled(
    'keeps apart requests that declare a prefix and requests that do not',
    async (engine, { tolerance }) => {
      const hinted = memberOf(engine, 1, 0);
      const { sharedPrefix: _none, ...rest } = memberOf(engine, 1, 1);
      const declared = await twoTurns(engine, hinted);
      const silent = await twoTurns(engine, rest);
      engine.policy.release(['g1/0', 'g1/1']);
      const short = await engine.policy.sample(requestOf(engine, 4));
      engine.policy.release(['s4']);
      const [a, b, c] = await Promise.all([
        twoTurns(engine, hinted),
        twoTurns(engine, rest),
        engine.policy.sample(requestOf(engine, 4)),
      ]);
      sameTurns(a, declared, 'declared', tolerance);
      sameTurns(b, silent, 'not declared', tolerance);
      sameResult(c, short, 'a short one', tolerance);
    },
  ),
  sampled('samples what score() confirms with a declared prefix', async (engine, { tolerance = 1e-5 }) => {
    const requests = [0, 1, 2, 3].flatMap((group) => [0, 1].map((m) => memberOf(engine, group, m, 5 * m)));
    await Promise.all(
      requests.map(async (request) => {
        const [first, second] = (await twoTurns(engine, request)) as [SampleResult, SampleResult];
        const seen = prompt(request.seed + 7, 2 + (request.seed % 5), engine.description.vocabularySize);
        const before = join(request.tokens, first.tokens, seen);
        for (const [start, { tokens, logprobs }] of [
          [request.tokens.length, first],
          [before.length, second],
        ] as const) {
          const positions = Int32Array.from(tokens, (_, i) => start + i);
          const whole = join(before, second.tokens);
          const [scores] = await engine.policy.score([{ tokens: whole, positions }]);
          checkClose(logprobs, scores?.logprobs ?? [], tolerance, `log-probabilities of ${request.sequence}`);
        }
      }),
    );
  }),
  sampled('continues unharmed when members are released, cancelled or come back', async (engine) => {
    const params = { ...plain, maxTokens: 24 };
    const member = (m: number): SampleRequest => ({ ...memberOf(engine, 2, m, m), params });
    const alone = await engine.policy.sample(member(1));
    engine.policy.release(['g2/1']);
    const controller = new AbortController();
    const leader = engine.policy.sample(member(0), controller.signal);
    const kept = engine.policy.sample(member(1));
    const third = engine.policy.sample(member(2));
    engine.policy.release(['g2/2']);
    setTimeout(() => controller.abort(), 3);
    await leader.catch(() => undefined);
    engine.policy.release(['g2/0']);
    const late = engine.policy.sample({ ...member(1), sequence: 'late' });
    const other = engine.policy.sample(memberOf(engine, 3, 0));
    sameResult(await kept, alone, 'the member that stayed');
    sameResult(await late, alone, 'the member that came late');
    await Promise.all([third, other]);
    engine.policy.release(['g2/1', 'late', 'g3/0']);
    sameResult(await engine.policy.sample(member(1)), alone, 'after all were released');
  }),
  sampled('is not misled by a declared prefix that no other has, or that is too long', async (engine) => {
    const { vocabularySize } = engine.description;
    const tokens = prompt(90, 75, vocabularySize);
    const changed = Int32Array.from(tokens, (id, i) => (i === 8 ? (id + 1) % vocabularySize : id));
    const ask = (sequence: string, ids: Int32Array, sharedPrefix: number) =>
      engine.policy.sample({ sequence, tokens: ids, params: plain, seed: 5, sharedPrefix });
    const alone = await ask('alone', changed, 70);
    const [, b, long] = await Promise.all([
      ask('a', tokens, 70),
      ask('b', changed, 70),
      ask('long', changed, 1000),
    ]);
    sameResult(b, alone, 'another prefix of the same length');
    checkEqual(long.tokens, alone.tokens, 'tokens with a prefix longer than the prompt');
    checkClose(long.logprobs, alone.logprobs, 1e-5, 'log-probabilities with a longer prefix');
    for (const wrong of [-1, 1.5]) await rejects(ask('wrong', tokens, wrong), 'engine.invalid_request');
  }),
  sampled(
    'samples under new weights after an update, whichever sequence held the prefix',
    async (engine, subject) => {
      const before = await engine.policy.sample(memberOf(engine, 1, 0));
      const tokens = join(memberOf(engine, 1, 0).tokens, before.tokens);
      const positions = Int32Array.from(before.tokens, (_, i) => tokens.length - before.tokens.length + i);
      const weights = new Float32Array(positions.length).fill(1);
      await engine.policy.forwardBackward(
        [{ tokens, positions, weights, columns: {} }],
        subject.likelihoodLoss,
      );
      await engine.policy.optimizerStep({
        learningRate: 0.05,
        beta1: 0.9,
        beta2: 0.999,
        epsilon: 1e-8,
        weightDecay: 0,
        maxGradientNorm: 1,
      });
      const request = memberOf(engine, 1, 1);
      const after = await engine.policy.sample(request);
      const [scores] = await engine.policy.score([
        {
          tokens: join(request.tokens, after.tokens),
          positions: Int32Array.from(after.tokens, (_, i) => request.tokens.length + i),
        },
      ]);
      checkClose(after.logprobs, scores?.logprobs ?? [], 1e-5, 'log-probabilities under new weights');
      check(after.policyVersion === before.policyVersion + 1, 'the version did not rise');
    },
  ),
];

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testReward } from '@espalier/plugin-kit/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { cohenKappa, correlation, pairwiseAgreement } from './agreement.js';
import judge from './index.js';
import { Judge } from './judge.js';
import { readAnswer } from './read-answer.js';
import { completion, startChatServer } from './testing/chat-server.js';

const server = await startChatServer();
const folder = mkdtempSync(join(tmpdir(), 'espalier-judge-'));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  server.requests.length = 0;
  server.answer = () => '{"score": 7}';
});

type Trajectory = Parameters<typeof judge.score>[0];
let count = 0;

/** A trajectory of one turn, whose text is its own. */
function episode(think = `thought ${count++}`): Trajectory {
  const turn = {
    index: 0,
    observation: 'a grid',
    think,
    answer: 'Left',
    actions: [{ text: 'Left' }],
    reward: 0,
  };
  return { turns: [turn], success: false, stopReason: 'turns', spans: [] } as unknown as Trajectory;
}

const base = { baseUrl: server.baseUrl, model: 'm', backoffMs: 1, cache: false };
const score = async (given: object = {}, trajectory = episode()) =>
  judge.score(trajectory, judge.params.parse({ ...base, ...given }));
const failed = (message: RegExp, code = 'plugin.failed') =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string });

testReward(judge, { params: { ...base, model: 'suite' } });

describe('an answer', () => {
  it.each<[string, number]>([
    ['{"score": 7}', 7],
    ['<think>is 3 right? {"score": 1}</think>\n{"score": 8.5}', 8.5],
    ['It is fine.\n```json\n{"reason": "a {b}", "score": "4"}\n```', 4],
    ['Good work.\nScore: 6/10', 6],
    ['**9**', 9],
    ['</think>0', 0],
  ])('%j is read as %d', (text, expected) => {
    expect(readAnswer(text, { min: 0, max: 10 })).toBe(expected);
  });

  it.each([
    ['', /empty/],
    ['<think>7', /no end/],
    ['<think>x</think>', /empty/],
    ['I would say 7 of 10', /ends with neither/],
    ['7 or 8', /ends with neither/],
    ['{"score": null}', /ends with neither/],
    ['{"score": 11}', /11 is not within 0\.\.10/],
    ['-1', /not within/],
    ['{'.repeat(50_000), /ends with neither/],
  ])('%j is not read', (text, finding) => {
    expect(readAnswer(text, { min: 0, max: 10 })).toMatch(finding);
  });
});

describe('a judge', () => {
  it('gives its score at the end, between 0 and 1', async () => {
    const { perTurn, metrics } = await score({ scale: { min: 5, max: 9 } });
    expect(perTurn).toEqual([0.5]);
    expect(metrics).toEqual({ cached: 0, tokens: 110, requests: 1, unread: 0, left_out: 0 });
  });

  it('is shown what was asked for, and told what is missing', async () => {
    const { metrics } = await score(
      { show: ['think', 'outcome'], maxCharacters: 100, question: 'Well?' },
      episode('z'.repeat(500)),
    );
    const [system, user] = server.requests[0]!.body.messages;
    expect(user!.content).toMatch(
      /^Well\?\n\n=== \w{12} ===\nTurn 1\nReasoning: z+\n\[\d+ characters left out\]\nz*\nOutcome: not solved \(turns\)\n=== \w{12} ===$/,
    );
    expect(user!.content).not.toContain('a grid');
    expect(user!.content).toContain(`[${metrics!['left_out']} characters left out]`);
    expect(system!.content).toContain(/=== \w+ ===/.exec(user!.content)![0]);
  });

  it('asks again with another seed where it cannot read the answer', async () => {
    server.answer = (_request, asked) => (asked < 3 ? 'hm' : '5');
    const { perTurn, metrics } = await score();
    expect([perTurn, metrics]).toEqual([
      [0.5],
      { cached: 0, tokens: 330, requests: 3, unread: 2 / 3, left_out: 0 },
    ]);
    expect(new Set(server.requests.map(({ body }) => body.seed)).size).toBe(3);
  });

  it('fails its episode where no answer can be read, instead of giving nothing', async () => {
    server.answer = () => 'no idea';
    await expect(score({ retries: 1 })).rejects.toEqual(
      failed(/^ask the judge "m" at .*: its answer cannot be read: it ends with neither/),
    );
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, Parameters<typeof startChatServer>[0] & object, RegExp]>([
    [
      'an error of the server',
      (_r, _c, response) => void response.writeHead(500).end('oops'),
      /HTTP 500: "oops"/,
    ],
    ['broken JSON', (_r, _c, response) => void response.end('{"choices": ['), /what is no JSON/],
    [
      'another content',
      (_r, _c, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /what is no JSON: "<html>"/,
    ],
    [
      'a cut answer',
      (_r, _c, response) => void response.end(completion('{"score": 7', 'length')),
      /cannot be read: it is empty/,
    ],
    ['no choices', (_r, _c, response) => void response.end('{"choices": {}}'), /has no text in choices/],
    ['null', (_r, _c, response) => void response.end('null'), /has no text in choices/],
    [
      'a reset connection',
      (_r, _c, response) => void response.socket?.resetAndDestroy(),
      /the connection failed/,
    ],
    ['silence', () => undefined, /did not answer within 1000 ms/],
  ])('tries again after %s, then fails the episode', async (name, answer, message) => {
    const timeoutMs = name === 'silence' ? 1000 : 20_000;
    server.answer = answer;
    await expect(score({ retries: 2, timeoutMs })).rejects.toEqual(failed(message));
    expect(server.requests).toHaveLength(3);
    server.answer = (request, asked, response) =>
      asked < 5 ? (answer(request, asked, response), undefined) : '10';
    expect((await score({ retries: 2, timeoutMs })).perTurn).toEqual([1]);
  });

  it('does not try again where it is refused, nor reads without end', async () => {
    server.answer = (_r, _c, response) => void response.writeHead(404).end('no such model');
    await expect(score()).rejects.toEqual(failed(/HTTP 404: "no such model"/));
    server.answer = (_r, _c, response) => void response.end('x'.repeat(2 ** 21));
    await expect(score()).rejects.toEqual(failed(/more than 1048576 bytes/));
    expect(server.requests).toHaveLength(2);
  });

  it('waits longer each time, or as long as it is told, up to a minute', async () => {
    const told = [{}, { 'retry-after': '2' }, { 'retry-after': '9999' }, {}, {}];
    server.answer = (_r, asked, response) =>
      asked > told.length ? '1' : void response.writeHead(429, told[asked - 1]).end();
    const pauses: number[] = [];
    const options = judge.params.parse({ ...base, backoffMs: 100, retries: 9 });
    const patient = new Judge(options, async (ms) => void pauses.push(ms));
    expect(await patient.score(options, [{ role: 'user', content: 'Well?' }], 0)).toMatchObject({ score: 1 });
    expect(pauses).toEqual([100, 2000, 60_000, 800, 1600]);
  });

  it.each<[string, typeof server.answer]>([
    ['between two tries', (_r, _c, response) => void response.writeHead(503, { 'retry-after': '60' }).end()],
    ['for an answer', () => undefined],
  ])('waits no more %s once the run stops', async (where, answer) => {
    const stop = new AbortController();
    const cache = join(folder, `stop ${where}`);
    const options = { retries: 5, cache, budget: { requests: 9 }, concurrency: 1 };
    server.answer = answer;
    const params = judge.params.parse({ ...base, ...options });
    const waiting = [episode(), episode()].map((one) => judge.score(one, params, stop.signal));
    const ended = Promise.allSettled(waiting);
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    // the other was never sent, and what was sent is counted
    expect(server.requests).toHaveLength(1);
    expect(readFileSync(join(cache, 'spent.txt'), 'utf8')).toBe('0 0\n');
  });

  it('asks what is under way once, and at most so much at once', async () => {
    const same = episode();
    const held: (() => void)[] = [];
    server.answer = (_r, _c, response) => void held.push(() => response.end(completion('3')));
    const all = Promise.all([
      score({ concurrency: 2 }, same),
      score({ concurrency: 2 }, same),
      ...[1, 2, 3].map(() => score({ concurrency: 2 })),
    ]);
    await expect.poll(() => held.length).toBe(2);
    expect(server.requests).toHaveLength(2);
    for (let done = 0; done < 4; done++) {
      await expect.poll(() => held.length).toBeGreaterThan(0);
      expect(held.length).toBeLessThanOrEqual(2);
      held.shift()!();
    }
    expect((await all).map(({ perTurn }) => perTurn[0])).toEqual([0.3, 0.3, 0.3, 0.3, 0.3]);
    expect(server.requests).toHaveLength(4);
  });

  it('shows its key to the endpoint and to nobody else', async () => {
    process.env['JUDGE_KEY_OF_TEST'] = 'sk-very-secret';
    try {
      const key = { apiKeyFrom: 'JUDGE_KEY_OF_TEST' };
      await score(key);
      expect(server.requests[0]!.authorization).toBe('Bearer sk-very-secret');
      server.answer = (request, _c, response) =>
        void response.writeHead(401).end(`bad key ${request.authorization}`);
      const error = await score(key).catch((thrown: unknown) => thrown as Error);
      expect(error).toEqual(failed(/HTTP 401: "bad key Bearer \[key\]"/));
      server.answer = ({ authorization }) => `I was called with ${authorization}`;
      await expect(score({ ...key, retries: 0 })).rejects.toEqual(
        failed(/cannot be read: .*I was called with Bearer \[key\]/),
      );
      server.answer = (_r, _c, response) =>
        void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
      await expect(score({ ...key, retries: 0 })).rejects.toEqual(failed(/the connection failed/));
    } finally {
      delete process.env['JUDGE_KEY_OF_TEST'];
    }
    await expect(score({ apiKeyFrom: 'JUDGE_KEY_OF_TEST' })).rejects.toEqual(
      failed(/the variable JUDGE_KEY_OF_TEST is not set/),
    );
    expect(judge.params.safeParse({ ...base, apiKey: 'sk-very-secret' }).success).toBe(false);
  });
});

describe('the cache', () => {
  it('answers what was asked before, unless anything differs that matters', async () => {
    const cache = join(folder, 'a');
    const trajectory = episode();
    await score({ cache }, trajectory);
    expect((await score({ cache, retries: 1 }, trajectory)).metrics).toMatchObject({
      cached: 1,
      tokens: 0,
      requests: 0,
    });
    expect(server.requests).toHaveLength(1);
    for (const change of [
      { model: 'n' },
      { temperature: 0.5 },
      { question: '?' },
      { maxTokens: 9 },
      { scale: { min: 0, max: 8 } },
      { show: ['think'] },
    ])
      await score({ cache, ...change }, trajectory);
    expect(server.requests).toHaveLength(7);
  });

  it('asks again where a file is damaged', async () => {
    const cache = join(folder, 'b');
    const trajectory = episode();
    await score({ cache }, trajectory);
    const [file] = readdirSync(cache, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.json'));
    writeFileSync(join(cache, file!), '{"text": "{\\"sco');
    expect((await score({ cache, retries: 1 }, trajectory)).perTurn).toEqual([0.7]);
    expect(server.requests).toHaveLength(2);
    expect(JSON.parse(readFileSync(join(cache, file!), 'utf8'))).toEqual({ text: '{"score": 7}' });
  });
});

describe('a budget', () => {
  it.each([
    [{ requests: 2 }, /2 of 2 requests/],
    [{ tokens: 200 }, /220 of 200 tokens/],
    [{ cost: 0.0003 }, /0\.0004 of 0\.0003/],
  ])('of %j stops the run when it is spent, and a new process goes on counting', async (budget, message) => {
    const cache = join(folder, JSON.stringify(Object.keys(budget)));
    const price = 'cost' in budget ? { price: { input: 1, output: 10 } } : {};
    await score({ cache, budget, ...price });
    await score({ cache, budget, ...price });
    const spent = failed(message, 'plugin.budget_exhausted');
    await expect(score({ cache, budget, ...price })).rejects.toEqual(spent);
    // other options make another judge, as a new process would
    await expect(score({ cache, budget, ...price, retries: 1 })).rejects.toEqual(spent);
    expect(server.requests).toHaveLength(2);
  });

  it('is one for all judges of a folder, also of other processes', async () => {
    const given = { cache: join(folder, 'shared'), budget: { requests: 4 } };
    await score({ ...given, question: 'one?' });
    await score({ ...given, question: 'two?' });
    appendFileSync(join(given.cache, 'spent.txt'), '100 10\n50');
    await score({ ...given, question: 'one?', budget: { requests: 5 } });
    const spent = failed(/5 of 4 requests/, 'plugin.budget_exhausted');
    await expect(score({ ...given, question: 'one?' })).rejects.toEqual(spent);
    await expect(score({ ...given, question: 'two?' })).rejects.toEqual(spent);
    expect(readFileSync(join(given.cache, 'spent.txt'), 'utf8').split('\n')).toHaveLength(6);
  });

  it('is not touched by a request that could not be sent', async () => {
    const cache = join(folder, 'unsent');
    const given = { cache, budget: { requests: 1 }, apiKeyFrom: 'JUDGE_KEY_THAT_IS_NOT_SET' };
    for (let time = 0; time < 2; time++) await expect(score(given)).rejects.toEqual(failed(/is not set/));
  });

  it('may fail episodes instead', async () => {
    const given = { cache: join(folder, 'fail'), budget: { requests: 1, then: 'fail' } };
    await score(given);
    await expect(score(given)).rejects.toEqual(failed(/the budget is spent \(1 of 1 requests, counted in /));
  });

  it('needs a folder to be counted in', () => {
    const { error } = judge.params.safeParse({ ...base, cache: false, budget: { requests: 1 } });
    expect(error?.issues[0]?.message).toMatch(/^`budget` needs a `cache` folder/);
  });
});

describe('agreement', () => {
  it('of samples and of two judges is reported', async () => {
    server.answer = ({ body }, asked) => (body.model === 'other' ? '2' : String([4, 4, 8][asked % 3]));
    const { perTurn, metrics } = await score({
      samples: 3,
      temperature: 1,
      second: { baseUrl: server.baseUrl, model: 'other' },
    });
    const own = server.requests.filter(({ body }) => body.model === 'm').length;
    expect([own, server.requests.length]).toEqual([3, 4]);
    expect(metrics!['second_difference']).toBeCloseTo(perTurn[0]! - 0.2, 12);
    expect(metrics!['agreement']).toBeCloseTo(1 / 3, 12);
  });

  it('is unknown where the second judge fails, and the score is not', async () => {
    server.answer = ({ body }, _c, response) =>
      body.model === 'other' ? void response.writeHead(404).end() : '4';
    const second = { baseUrl: server.baseUrl, model: 'other' };
    const { perTurn, metrics } = await score({ second });
    expect(perTurn).toEqual([0.4]);
    expect(metrics).toMatchObject({ second_failed: 1, requests: 1 });
    expect(metrics).not.toHaveProperty('second_difference');
    const cache = join(folder, 'second');
    await expect(score({ second, cache, budget: { requests: 1 } })).rejects.toEqual(
      failed(/budget is spent/, 'plugin.budget_exhausted'),
    );
  });

  it('is computed as by hand', () => {
    expect(pairwiseAgreement([1, 1, 2, 2])).toBeCloseTo(2 / 6, 12);
    // 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 0.7 observed, 0.5 by chance
    const pairs = [
      [20, 1, 1],
      [5, 1, 0],
      [10, 0, 1],
      [15, 0, 0],
    ].flatMap(([times, a, b]) => Array.from({ length: times! }, () => [a!, b!] as const));
    expect(cohenKappa(pairs)).toBeCloseTo(0.4, 12);
    expect(cohenKappa([[1, 1]])).toBeUndefined();
    expect(
      correlation([
        [1, 2],
        [2, 4],
        [3, 6],
      ]),
    ).toBeCloseTo(1, 12);
    expect(
      correlation([
        [1, 2],
        [2, 1],
        [3, 3],
      ]),
    ).toBeCloseTo(0.5, 12);
    expect(
      correlation([
        [1, 2],
        [1, 3],
      ]),
    ).toBeUndefined();
  });
});

describe('options', () => {
  it.each([
    [{ samples: 2 }, /need a `temperature` above 0/],
    [{ scale: { min: 1, max: 1 } }, /must exceed/],
    [{ budget: {} }, /give requests, tokens or cost/],
    [{ price: { input: 1, output: 1 } }, /need each other/],
    [{ budget: { cost: 1 } }, /need each other/],
    [{ second: { baseUrl: server.baseUrl, model: 'm' } }, /agrees with itself/],
    [{ baseUrl: 'ftp://x' }, /./],
    [{ baseUrl: 'http://user:key@x/v1' }, /give the key by/],
  ])('%j are refused', (given, message) => {
    expect(JSON.stringify(judge.params.safeParse({ ...base, ...given }).error?.issues)).toMatch(message);
  });
});

/** @file An agent behind an API in a table: against a real server that is slow, wrong, costly or gone. */
import type { ServerResponse } from 'node:http';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeCheckedLine } from '@espalier/files';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ChatRequest,
  completion,
  startChatServer,
} from '../../plugins/rewards/judge/src/testing/chat-server.js';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

interface Table {
  readonly entries: readonly {
    name: string;
    kind: string;
    spent?: {
      requests: number;
      input: number;
      output: number;
      unmetered: number;
      episodes: number;
      cost?: number;
    };
    cells: {
      states: unknown[];
      episodes: number;
      failed: number;
      unplayed?: number;
      reason?: string;
      error?: string;
      formatShare?: number;
      sampledTokens?: number;
      success?: { value: number };
    }[];
  }[];
  readonly tests: readonly { first: string; second: string }[];
}

const secret = 'sk-only-for-the-agent';
const server = await startChatServer();
const folder = mkdtempSync(join(tmpdir(), 'espalier-agent-'));
const right = '<think>Dragon pays more.</think><answer>Dragon</answer>';
beforeAll(() => {
  writeTinyModel(join(folder, 'model'));
  writeFileSync(
    join(folder, 'bandit.yaml'),
    [
      'environment: { use: bandit }',
      'algorithm: { use: grpo }',
      'model: { path: ./model }',
      'steps: 1',
      'rollout: { promptsPerStep: 2, groupSize: 2, maxTurns: 1, maxActions: 1, maxResponseTokens: 8 }',
      'validation: { every: 0, episodes: 12 }',
      '',
    ].join('\n'),
  );
});
afterAll(() => {
  server.close();
  removeFolder(folder);
});
beforeEach(() => {
  server.requests.length = 0;
  server.answer = () => right;
});

let files = 0;
/** Writes the file of an agent and gives its word. */
function agent(more = '', name = `agent-${++files}`): string {
  const lines = [
    `baseUrl: ${server.baseUrl}`,
    'model: m',
    'backoffMs: 1',
    'concurrency: 2',
    ...more.split('\n'),
  ];
  writeFileSync(join(folder, `${name}.yaml`), `${lines.join('\n')}\n`);
  return `api:${name}.yaml`;
}
const evaluate = (...words: string[]) =>
  callCli(['eval', ...words], { cwd: folder, env: { AGENT_KEY: secret } });
const measure = async (...words: string[]) => {
  const { code, stdout, stderr } = await evaluate(...words, 'bandit.yaml', '--no-baselines', '--json');
  const printed = JSON.parse(stdout) as Table & { error?: { code: string; message: string } };
  const { error } = printed;
  if (error !== undefined) return { code, stderr, said: `${error.code} ${error.message}` };
  const [entry] = printed.entries;
  return { code, stderr, table: printed, entry, cell: entry?.cells[0] };
};

describe('an agent behind an API', () => {
  it('stands in one table with a checkpoint and the baselines, with its tokens and what it cost', async () => {
    const word = agent('name: large\napiKeyFrom: AGENT_KEY\nprice: { input: 2, output: 10 }');
    const json = await evaluate(word, 'model', 'bandit.yaml', '--json', '--keep', 'one.jsonl');
    expect([json.code, json.stderr]).toEqual([0, expect.any(String)]);
    const { entries, tests } = JSON.parse(json.stdout) as Table;
    expect(entries.map(({ name }) => name)).toEqual(['large', 'model', 'constant', 'random', 'oracle']);
    const [large] = entries;
    // each of the 12 replies took 100 and 10 tokens
    expect(large?.spent).toEqual({
      requests: 12,
      input: 1200,
      output: 120,
      unmetered: 0,
      episodes: 12,
      cost: 0.0036,
    });
    expect(large?.cells[0]).toMatchObject({ episodes: 12, failed: 0, formatShare: 1, sampledTokens: 120 });
    expect(tests.map(({ first, second }) => `${first} ${second}`)).toContain('large model');
    const table = await evaluate(word, 'model', 'bandit.yaml', '--keep', 'one.jsonl');
    expect(table.stdout).toContain(
      'large: 12 requests, 1,200 tokens in, 120 out, cost 0.0036, 0.00030 per episode',
    );
    expect(server.requests).toHaveLength(12);
    for (const { authorization } of server.requests) expect(authorization).toBe(`Bearer ${secret}`);
    expect(json.stdout + json.stderr + readFileSync(join(folder, 'one.jsonl'), 'utf8')).not.toContain(secret);
  });

  it('is asked what the prompt of the run says, and its replies are read by the same parser', async () => {
    const replies = [
      right,
      ' Dragon pays more.</think><answer>Dragon</answer>',
      'Dragon',
      '<answer>Dragon</answer>',
    ];
    server.answer = (_request, count) => replies[(count - 1) % 4];
    const { cell } = await measure(agent('temperature: 0.5\nmaxTokens: 99\nbody: { reasoning_effort: low }'));
    const { body } = server.requests[0] as (typeof server.requests)[number];
    expect(body).toMatchObject({ model: 'm', temperature: 0.5, max_tokens: 99, reasoning_effort: 'low' });
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body.messages[1]?.content).toContain('Dragon');
    expect(JSON.stringify(body.messages)).not.toMatch(/[\uFDD0-\uFDD4]/);
    expect(new Set(server.requests.map((one) => one.body.seed)).size).toBe(12);
    expect(cell).toMatchObject({ episodes: 12, formatShare: 0.5 });
  });

  it('never takes the replies of an agent that is asked with a begun reply, or without a seed', async () => {
    server.answer = ({ body }) => {
      if (body.messages.at(-1)?.role === 'assistant') return 'No.</think><answer>Phoenix</answer>';
      return body.seed === undefined ? '<think>So.</think><answer>Phoenix</answer>' : right;
    };
    const words = [
      agent('name: plain'),
      agent('name: begun\nprefill: true'),
      agent('name: chance\nseed: false'),
    ];
    const kept = join(folder, 'three.jsonl');
    const { table } = await measure(...words, '--episodes', '4', '--keep', kept);
    expect(server.requests).toHaveLength(12);
    const [plain, begun, chance] = table?.entries.map(({ cells: [cell] }) => cell?.states) ?? [];
    expect(begun).toEqual(chance);
    expect(begun).not.toEqual(plain);
    const again = await measure(...words, '--episodes', '4', '--replay', kept);
    expect(again.table).toEqual(table);
    // a file from before replies told this: of agents without a begun reply
    const old = readFileSync(kept, 'utf8')
      .split('\n')
      .filter((line) => !line.includes('"prefill":'));
    const strip = (line: string): string => {
      const { crc: _, ...value } = JSON.parse(line);
      if (value.reply !== undefined) delete value.reply.asked.isSeedSent;
      return encodeCheckedLine(value);
    };
    writeFileSync(join(folder, 'old.jsonl'), old.filter(Boolean).map(strip).join(''));
    const first = await measure(words[0] ?? '', '--episodes', '4', '--replay', 'old.jsonl');
    expect([first.code, first.cell?.episodes]).toEqual([0, 4]);
    const second = await measure(words[1] ?? '', '--episodes', '4', '--replay', 'old.jsonl');
    expect(second.said).toMatch(/this command asks with .* and prefill "<think>"/);
  });

  it('sees in each turn what was said and earned before', async () => {
    const lake = readFileSync(join(folder, 'bandit.yaml'), 'utf8').replace('use: bandit', 'use: frozen-lake');
    writeFileSync(join(folder, 'lake.yaml'), lake.replace('maxTurns: 1, maxActions: 1', 'maxTurns: 3'));
    const reply = '<think>I wait.</think><answer>Nothing</answer>';
    server.answer = () => reply;
    const { code } = await evaluate(agent(), 'lake.yaml', '--episodes', '1', '--no-baselines');
    expect([code, server.requests.length]).toEqual([0, 3]);
    const [, second, third] = server.requests.map(({ body }) => body.messages);
    expect(third?.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(third?.slice(0, 4)).toEqual(second);
    expect(third?.[2]?.content).toBe(reply);
    expect(third?.[3]?.content).toContain('Reward:');
  });

  it('is asked again after 429 with Retry-After, a lost connection, and an empty or broken answer', async () => {
    const times: number[] = [];
    server.answer = (_request, count, response) => {
      times.push(Date.now());
      if (count === 1) return void response.writeHead(429, { 'retry-after': '1' }).end('slow down');
      if (count === 2) return void response.socket?.resetAndDestroy();
      if (count === 3) return '';
      if (count === 4) return void response.end('{"choices": [');
      if (count === 5) return undefined;
      return right;
    };
    const { code, cell, entry, stderr } = await measure(agent('timeoutMs: 800'), '--episodes', '2');
    expect([code, cell]).toEqual([0, expect.objectContaining({ episodes: 2, failed: 0 })]);
    expect(stderr).toContain('requests failed and were sent again');
    // what failed first is said at once, and the rest in one line at the end
    expect(stderr.match(/: .*; trying again in \d+ s$/gm)).toHaveLength(1);
    // the empty answer was paid for, too
    expect(entry?.spent).toMatchObject({ requests: 3, input: 300 });
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(950);
  });

  it('fails an episode that it cannot answer, which counts as failed and not as zero', async () => {
    let first: string | undefined;
    server.answer = ({ body }, count, response) => {
      const asked = JSON.stringify(body.messages) + body.seed;
      if (count === 3) first = asked;
      return asked === first ? void response.writeHead(400).end('too long') : right;
    };
    const { code, cell } = await measure(agent(), '--set', 'rollout.maxFailedShare=0.5');
    expect(code).toBe(0);
    expect(cell).toMatchObject({ failed: 1, success: expect.anything() as unknown });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['is cut off without text', (response) => response.end(completion('', 'length'))],
    [
      'a filter refuses',
      (response) => response.writeHead(400).end('{"error":{"code":"content_filter","message":"no"}}'),
    ],
  ])('fails one episode where the reply that %s comes first', async (_name, refuse) => {
    server.answer = (_request, count, response) => (count === 1 ? void refuse(response) : right);
    const { code, cell } = await measure(agent(), '--set', 'rollout.maxFailedShare=0.5');
    expect([code, cell]).toEqual([0, expect.objectContaining({ episodes: 12, failed: 1 })]);
  });

  it.each<[string, string, (typeof server)['answer'], number, string, RegExp]>([
    [
      'replies that are all cut off',
      '',
      (_r, _c, response) => void response.end(completion('', 'length')),
      69,
      'agent.unavailable',
      /without an answer \(raise maxTokens\), and none of its first 4 replies was usable$/,
    ],
    [
      'a wrong key',
      'apiKeyFrom: AGENT_KEY',
      ({ authorization }, _c, response) => void response.writeHead(401).end(authorization),
      5,
      'agent.refused',
      /401.*\[key\].*put a valid key into AGENT_KEY/,
    ],
    [
      'an unknown model',
      '',
      (_r, _c, response) => void response.writeHead(404).end('no model m'),
      5,
      'agent.refused',
      /404.*check baseUrl/,
    ],
    [
      'an account without money',
      '',
      (_r, _c, response) => void response.writeHead(429).end('insufficient_quota'),
      5,
      'agent.refused',
      /top it up/,
    ],
    [
      'a field it does not take',
      '',
      (_r, _c, response) => void response.writeHead(400).end('max_tokens?'),
      5,
      'agent.refused',
      /see temperature, seed, maxTokensField/,
    ],
    [
      'what never answers',
      'retries: 1\ntimeoutMs: 300',
      () => undefined,
      69,
      'agent.unavailable',
      /did not answer within 300 ms, also after 1 further tries/,
    ],
    ['empty answers', 'retries: 2', () => '', 69, 'agent.unavailable', /its answer is empty, also after 2/],
    [
      'no count of tokens under a budget',
      'budget: { tokens: 90000 }',
      (_r, _c, response) => void response.end(JSON.stringify({ choices: [{ message: { content: right } }] })),
      5,
      'agent.failed',
      /do not tell their tokens/,
    ],
  ])('ends with %s at once', async (_name, more, answer, exit, errorCode, message) => {
    server.answer = answer;
    const { code, stderr, said } = await measure(agent(more));
    expect([code, said]).toEqual([exit, expect.stringMatching(message)]);
    expect(said?.split(' ')[0]).toBe(errorCode);
    expect(stderr + (said ?? '')).not.toContain(secret);
    expect(server.requests.length).toBeLessThanOrEqual(8);
  });

  it.each<[string, number, number, RegExp]>([
    ['becomes unavailable', 503, 69, /its endpoint gave no usable answer/],
    ['is refused', 401, 5, /its endpoint refused it/],
  ])('keeps the rows that are whole when a later agent %s', async (_name, status, exit, reason) => {
    const words = [agent('name: whole'), agent('name: late\ntemperature: 0.1\nretries: 1')];
    const more = ['--episodes', '40', '--json', '--no-baselines'];
    // the later agent ends in its second part
    server.answer = (_request, count, response) =>
      count <= 76 ? right : void response.writeHead(status).end('gone');
    const { code, stdout, stderr } = await evaluate(...words, 'bandit.yaml', ...more);
    expect([code, stderr]).toEqual([exit, expect.stringMatching(/late.*add --keep FILE to go on/)]);
    const cells = (JSON.parse(stdout) as Table).entries.map(({ cells: [cell] }) => cell);
    expect(cells).toMatchObject([
      { episodes: 40 },
      { episodes: 32, unplayed: 8, reason: expect.stringMatching(reason) as unknown },
    ]);
    expect(cells[0]?.unplayed).toBeUndefined();
  });

  it('never exceeds its budget, shows what it has, and goes on with a larger one', async () => {
    const words = ['--episodes', '40', '--keep', 'budget.jsonl'];
    // 36 requests at 100 in and 10 out; the next could take more than is left
    const poor = await measure(
      agent('price: { input: 1, output: 1 }\nbudget: { requests: 36 }', 'poor'),
      ...words,
    );
    expect(poor.stderr).toContain('agent.budget_exhausted');
    expect([poor.code, poor.stderr]).toEqual([
      75,
      expect.stringMatching(/36 of 36 requests.*raise its budget and give the same command/),
    ]);
    expect(poor.cell).toMatchObject({ episodes: 32, unplayed: 8 });
    expect(server.requests).toHaveLength(36);
    const rich = await measure(
      agent('price: { input: 1, output: 1 }\nbudget: { cost: 1 }', 'poor'),
      ...words,
    );
    expect([rich.code, rich.cell?.episodes]).toEqual([0, 40]);
    expect(server.requests).toHaveLength(40);
    expect(rich.entry?.spent?.requests).toBe(40);
    const held = await measure(
      agent('price: { input: 1, output: 1 }\nbudget: { tokens: 2500 }'),
      '--episodes',
      '40',
    );
    expect([held.code, held.cell?.error]).toEqual([
      75,
      expect.stringContaining('before the first part was whole'),
    ]);
    expect(110 * (server.requests.length - 40)).toBeLessThanOrEqual(2500);
  });

  it('plays again what an outage took, once the same command is given later', async () => {
    const words = [agent('name: back\nretries: 0'), '--episodes', '40', '--keep', 'outage.jsonl'];
    const isOut = (count: number): boolean => count > 1 && count < 70 && count % 4 !== 1;
    const paid: string[] = [];
    const pay = ({ messages, seed }: ChatRequest['body']): string => {
      paid.push(JSON.stringify([messages, seed]));
      return right;
    };
    server.answer = ({ body }, count, response) =>
      isOut(count) ? void response.writeHead(503).end() : pay(body);
    const out = await measure(...words);
    expect([out.code, out.stderr]).toEqual([5, expect.stringContaining('back: no environment gave numbers')]);
    expect(out.cell?.error).toMatch(/\d+ of \d+ attempts failed, above the share 0\.1/);
    server.answer = ({ body }) => pay(body);
    const back = await measure(...words);
    expect([back.code, back.cell]).toEqual([0, expect.objectContaining({ episodes: 40, failed: 0 })]);
    expect(new Set(paid).size).toBe(paid.length);
    const asked = server.requests.length;
    expect((await measure(...words)).table).toEqual(back.table);
    expect(server.requests).toHaveLength(asked);
  });

  it('is not charged with what another agent of its model and address took', async () => {
    const budget = 'budget: { requests: 6 }';
    const words = [agent(`name: warm\n${budget}`), agent(`name: cold\ntemperature: 0.1\n${budget}`)];
    const { code, table } = await measure(...words, '--episodes', '6', '--keep', 'each.jsonl');
    expect([code, table?.entries.map(({ cells: [cell] }) => cell?.episodes)]).toEqual([0, [6, 6]]);
    const more = await measure(...words, '--episodes', '6', '--keep', 'each.jsonl');
    expect([more.code, more.table]).toEqual([0, table]);
    expect(server.requests).toHaveLength(12);
  });

  it('goes on after a kill without paying twice, and is replayed without its endpoint', async () => {
    const words = [agent('', 'kept'), 'bandit.yaml', '--no-baselines', '--json', '--episodes', '20'];
    const killer = new AbortController();
    server.answer = (_request, count, response) => {
      if (count === 12) killer.abort('SIGKILL');
      if (count < 12 || killed) return right;
      return void response;
    };
    let killed = false;
    await runCli(['eval', ...words, '--keep', 'kept.jsonl'], { cwd: folder, signal: killer.signal });
    killed = true;
    const before = server.requests.length;
    const resumed = await evaluate(...words, '--keep', 'kept.jsonl');
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('of 20')]);
    const pairs = server.requests.map(({ body }) => JSON.stringify([body.messages, body.seed]));
    // only those under way at the kill were asked for twice
    expect(new Set(pairs).size).toBe(20);
    expect(pairs.length - 20).toBeLessThanOrEqual(2);
    expect(before).toBeLessThan(20);
    server.answer = (_r, _c, response) => void response.writeHead(500).end();
    const asked = server.requests.length;
    const replayed = await evaluate(...words, '--replay', 'kept.jsonl');
    expect(replayed.stdout).toBe(resumed.stdout);
    expect(server.requests).toHaveLength(asked);
    const refused = async (message: RegExp, ...more: string[]) => {
      const { code, stdout } = await evaluate(...words, '--replay', 'kept.jsonl', ...more);
      expect([code, stdout]).toEqual([3, expect.stringMatching(message)]);
      expect(stdout).toContain('agent.not_recorded');
    };
    await refused(
      /recorded with .*this command asks with .*temperature.{1,3}:0\.25/,
      '--temperature',
      '0.25',
    );
    await refused(/other seeds only/, '--draws', '2');
    await refused(
      /does not have this conversation/,
      '--set',
      'rollout.maxResponseTokens=9',
      '--set',
      'rollout.prompt.system=Hi',
    );
  }, 120_000);

  it('stops promptly at Ctrl-C, in the midst of a slow answer', async () => {
    server.answer = () => undefined;
    const killer = new AbortController();
    const words = ['eval', agent('timeoutMs: 600000'), 'bandit.yaml', '--keep', 'slow.jsonl'];
    const running = runCli(words, { cwd: folder, signal: killer.signal });
    await waitFor('it was asked', () => server.requests.length > 0);
    const at = Date.now();
    killer.abort('SIGINT');
    const { code, stderr } = await running;
    expect([code, stderr]).toEqual([75, expect.stringContaining('the same command goes on from there')]);
    expect(Date.now() - at).toBeLessThan(5000);
  }, 120_000);

  it('gives probes of its own', async () => {
    const { code, table, entry } = await measure(agent(), '--probes', '--episodes', '4');
    // those of the prompt swap, too; one of its states looks like the own one, and was not asked about twice
    expect([server.requests.length, entry?.spent]).toMatchObject([7, { requests: 8, episodes: 8 }]);
    expect([code, table?.entries.map(({ kind, cells }) => [kind, cells[0]?.formatShare])]).toEqual([
      0,
      [
        ['model', 1],
        ['probe', 1],
        ['probe', 1],
        ['probe', 1],
      ],
    ]);
  });

  it('says what is wrong with the way it is named', async () => {
    const refuse = async (words: string[], exit: number, finding: string) => {
      const { code, stderr, stdout } = await evaluate(...words);
      expect([code, stderr, stdout]).toEqual([exit, expect.stringContaining(finding), '']);
    };
    await refuse(['api:m', 'bandit.yaml'], 2, 'names no agent');
    await refuse(['api:m@ftp://x', 'bandit.yaml'], 2, 'names no agent');
    await refuse(
      ['api:missing.yaml', 'bandit.yaml'],
      4,
      'api:missing.yaml: no such file; name the YAML file of an agent (docs/use/evaluation.md)\n',
    );
    await refuse([agent('concurency: 3'), 'bandit.yaml'], 3, 'concurrency');
    await refuse([agent('body: { seed: 3 }'), 'bandit.yaml'], 3, 'options of their own');
    await refuse([agent('apiKeyFrom: NO_SUCH_KEY'), 'bandit.yaml'], 77, 'NO_SUCH_KEY is not set');
    await refuse([agent('', 'twice-1'), agent('', 'twice-2'), 'bandit.yaml'], 2, '"m" is named twice');
    await refuse([agent(), 'bandit.yaml', '--base', 'model'], 2, 'has no base');
    await refuse(['model', 'bandit.yaml', '--replay', 'x'], 2, 'no API agent is named');
    expect(server.requests).toHaveLength(0);
  });
});

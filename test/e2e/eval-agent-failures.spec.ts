/** @file An agent behind an API that fails, costs too much or is stopped: what is kept, and what is said. */
import type { ServerResponse } from 'node:http';
import { waitFor } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { type ChatRequest, completion } from '../../plugins/rewards/judge/src/testing/chat-server.js';
import { right, secret, type Table, useAgents } from '../support/agents.js';
import { runCli } from '../support/run-cli.js';

const { server, folder, agent, evaluate, measure } = await useAgents();

describe('an agent behind an API that fails or is stopped', () => {
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
});

/** @file An agent behind an API in a table. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeCheckedLine } from '@espalier/files';
import { describe, expect, it } from 'vitest';
import { right, secret, type Table, useAgents } from '../support/agents.js';

const { server, folder, agent, evaluate, measure } = await useAgents();

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

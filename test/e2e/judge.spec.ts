/** @file A run whose reward is a judge: killed in the midst, resumed, and nothing paid twice. */
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { startChatServer } from '../../plugins/rewards/judge/src/testing/chat-server.js';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

const secret = 'sk-only-for-the-judge';
const folder = mkdtempSync(join(tmpdir(), 'espalier-judge-run-'));
const server = await startChatServer();
afterAll(() => {
  server.close();
  removeFolder(folder);
});
writeTinyModel(join(folder, 'model'));
const judge = (more = ''): string =>
  `{ use: judge, baseUrl: '${server.baseUrl}', model: m, apiKeyFrom: JUDGE_KEY, concurrency: 1, backoffMs: 1, retries: 1, samples: 4, temperature: 1${more} }`;
const write = (name: string, reward: string): void =>
  writeFileSync(
    join(folder, `${name}.yaml`),
    [
      'environment: { use: bandit }',
      'algorithm: { use: grpo }',
      'model: { path: ./model }',
      'steps: 2',
      'rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 20, maxTurns: 1, maxActions: 1 }',
      'validation: { every: 0, atEnd: false }',
      `rewards: [${reward}]`,
    ].join('\n'),
  );
const train = (name: string, more: readonly string[] = [], signal?: AbortSignal) => {
  const words = ['train', `${name}.yaml`, '--out', `runs/${name}`, ...more];
  const options = { cwd: folder, env: { JUDGE_KEY: secret } };
  return signal === undefined ? callCli(words, options) : runCli(words, { ...options, signal });
};

describe('a run with a judge', () => {
  it('that was killed goes on without paying twice, and never writes the key down', async () => {
    write('killed', judge());
    const controller = new AbortController();
    const answered = new Map<string, number>();
    server.answer = ({ body }, count) => {
      if (count === 6) controller.abort('SIGKILL');
      if (count >= 6 && !resumed) return undefined;
      const key = JSON.stringify([body.messages, body.seed]);
      answered.set(key, (answered.get(key) ?? 0) + 1);
      return `{"score": ${count % 10}}`;
    };
    let resumed = false;
    const killed = await train('killed', [], controller.signal);
    expect([killed.code, answered.size]).toEqual([null, 5]);
    resumed = true;
    const { code, stderr } = await train('killed', ['--resume']);
    expect([code, stderr]).toEqual([0, '']);
    expect([...answered.values()].filter((times) => times > 1)).toEqual([]);
    // two states, four samples each
    expect(answered.size).toBe(8);
    const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
    for (const file of files.filter((path) => statSync(path).isFile()))
      expect(readFileSync(file).includes(secret), file).toBe(false);
    for (const { authorization } of server.requests) expect(authorization).toBe(`Bearer ${secret}`);
  }, 180_000);

  it('whose budget is spent stops, says so, and resumes with a larger one, but not with another question', async () => {
    write('poor', judge(", cache: 'poor', budget: { requests: 3 }"));
    server.answer = () => '5';
    const { code, stderr } = await train('poor');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/plugin\.budget_exhausted.*reward "judge".*the budget is spent \(3 of 3 requests/);
    write('poor', judge(", question: 'Is it polite?', cache: 'poor', budget: { requests: 20 }"));
    const asked = server.requests.length;
    const other = await train('poor', ['--resume']);
    expect([other.code, other.stderr]).toEqual([
      3,
      expect.stringMatching(/trainer\.resume_mismatch.*rewards\.0\.question was/) as string,
    ]);
    expect(server.requests.length).toBe(asked);
    write('poor', judge(", cache: 'poor', budget: { requests: 20 }"));
    const { code: resumed, stderr: said } = await train('poor', ['--resume']);
    expect([resumed, said]).toEqual([0, '']);
    // two states, four samples each, of which three were paid before
    expect(server.requests.length - asked).toBe(5);
  }, 180_000);

  it('whose answers cannot be read has failed episodes, not worthless ones', async () => {
    write('unread', judge(", cache: 'unread'"));
    server.answer = () => 'who knows';
    const { code, stderr } = await train('unread');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/rollout\.too_many_errors.*its answer cannot be read/);
  }, 180_000);
});

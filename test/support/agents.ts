/** @file Evaluates agents behind a real API that a test makes slow, wrong, costly or gone. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startChatServer } from '../../plugins/rewards/judge/src/testing/chat-server.js';
import { callCli } from './call-cli.js';
import { writeTinyModel } from './tiny-model.js';

/** What `eval --json` prints. */
export interface Table {
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

/** the key of the agent */
export const secret = 'sk-only-for-the-agent';
/** an answer that earns */
export const right = '<think>Dragon pays more.</think><answer>Dragon</answer>';
/** For a file of tests: a server of its own, and a folder with a run's configuration and the files of agents. */
export async function useAgents() {
  const server = await startChatServer();
  const folder = mkdtempSync(join(tmpdir(), 'espalier-agent-'));
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
  return { server, folder, agent, evaluate, measure };
}

/**
 * Tasks, rewards and trajectories, read by Harbor itself. `npm run check:peers -- --only harbor` installs it and names its
 * interpreter in HARBOR_PYTHON; without it the test is skipped, as Python is no part of this project.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Trajectory, Turn } from '@espalier/contracts';
import { toAtif } from '@espalier/recorder';
import { afterAll, describe, expect, it } from 'vitest';
import { parseRewards } from '../../plugins/environments/harbor/src/reward.js';
import { readTask } from '../../plugins/environments/harbor/src/task/read-tasks.js';
import type { Task } from '../../plugins/environments/harbor/src/task/task.js';
import { writeTask } from '../../plugins/environments/harbor/src/testing/write-task.js';
import { wholeTrajectory } from '../support/whole-trajectory.js';

const python = process.env['HARBOR_PYTHON'] ?? '';
const shipped = fileURLToPath(new URL('../../plugins/environments/harbor/tasks', import.meta.url));
const script = fileURLToPath(new URL('check_harbor.py', import.meta.url));

interface Answer {
  readonly tasks: readonly object[];
  readonly rewards: readonly (object | null)[];
  readonly errors: readonly (readonly string[])[];
}

describe.skipIf(!existsSync(python))('Harbor itself (npm run check:peers -- --only harbor)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'real-harbor-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const ask = (cases: object): Answer => {
    const file = join(folder, 'cases.json');
    writeFileSync(file, JSON.stringify({ tasks: [], rewards: [], trajectories: [], ...cases }));
    return JSON.parse(execFileSync(python, [script, file], { encoding: 'utf8' })) as Answer;
  };

  it('reads tasks as we do', () => {
    const folders = readdirSync(shipped).flatMap((split) =>
      readdirSync(join(shipped, split)).map((name) => join(shipped, split, name)),
    );
    folders.push(
      writeTask(folder, 'old', {
        'instruction.md': '<!-- canary -->\n# CANARY 2\n\n\nDo it.\n',
        'task.toml':
          'version = "1.0"\n[agent]\ntimeout_sec = 7.5\n[environment]\nmemory = "2G"\nstorage = "1536M"\n[environment.env]\nA = "plain ${text}"\nB = "${NOT_SET_ANYWHERE:-spare}"\n',
      }),
    );
    const ours = folders.map((one) => {
      const { name, instruction, config, variables } = readTask(one, {
        installs: 'refuse',
        network: false,
      }) as Task;
      return {
        name,
        instruction,
        agentSeconds: config.agent.timeout_sec ?? null,
        verifierSeconds: config.verifier.timeout_sec,
        memoryMb: config.environment.memory_mb ?? null,
        storageMb: config.environment.storage_mb ?? null,
        variables: variables.environment,
      };
    });
    expect(ask({ tasks: folders }).tasks).toEqual(ours);
  });

  it('reads rewards as we do', () => {
    const json = [
      '{"reward": 0.5, "style": true}',
      '{}',
      '',
      '{"reward": NaN}',
      '{"reward": "1"}',
      '{"a": 1e999}',
    ];
    const text = ['1', ' 0.25\n', '-1e-3', '', 'nan', 'inf', 'one', '0x10', '1.', '.5'];
    const rewards = [
      ...json.map((content) => ({ 'reward.json': content, 'reward.txt': '1' })),
      ...text.map((content) => ({ 'reward.txt': content })),
    ];
    const ours = rewards.map((files: { 'reward.json'?: string; 'reward.txt'?: string }) => {
      const read = parseRewards(files['reward.json'], files['reward.txt']);
      return typeof read === 'string' ? null : read;
    });
    expect(ask({ rewards }).rewards.map((read) => read && plain(read))).toEqual(ours);
    expect(ours.filter((read) => read !== null)).toHaveLength(7);
  });

  it('finds no fault in exported trajectories', () => {
    const context = { version: '0.1.0', model: 'seedling', run: 'run-1' };
    const whole = wholeTrajectory('train/7/0/0');
    const turns = ['left', ''].map((think, index) => turnOf(index, think));
    const failed: Trajectory = { ...whole, success: false, stopReason: 'error', error: 'no answer' };
    const trajectories = [{ ...whole, logprobs: new Float32Array(3), turns }, failed].map((one) =>
      toAtif(one, context),
    );
    const wrong = { ...trajectories[0], schema_version: 'ATIF-v9' };
    expect(ask({ trajectories: [...trajectories, wrong] }).errors.map((errors) => errors.length > 0)).toEqual(
      [false, false, true],
    );
  });
});

const turnOf = (index: number, think: string): Turn => ({
  index,
  observation: `state ${index}`,
  stateKey: `${index}`,
  render: '',
  facts: {},
  response: `<think>${think}</think>go`,
  think,
  answer: 'go',
  formatValid: true,
  parsedActions: ['go'],
  actions: [{ text: 'go', valid: true, effective: true, reward: 1, metrics: {} }],
  reward: 1,
  formatPenalty: 0,
  sampleStop: 'stop',
  sampled: { start: index + 1, end: index + 2 },
  policyVersion: 1,
  timings: { sampleMs: 1, environmentMs: 1 },
});

/** Python's true is 1. */
const plain = (rewards: object): object =>
  Object.fromEntries(Object.entries(rewards).map(([name, value]) => [name, Number(value)]));

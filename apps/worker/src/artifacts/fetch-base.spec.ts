/** @file What the adapters of a fork or of an evaluated run stand on. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '@espalier/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workerOptions } from '../worker-options.js';
import type { ArtifactStore } from './artifact-store.js';
import { prepareCheckpoint, prepareRun } from './fetch-run.js';

let root = '';
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-base-'))));
afterEach(() => rmSync(root, { recursive: true }));

const path = 'checkpoints/step-000002';
const whole = { [`${path}/policy/model.safetensors`]: 'weights' };
const adapter = { [`${path}/policy/adapter_config.json`]: '{}' };
const forkOf = (runId: string) => ({ 'fork.json': JSON.stringify({ runId, path }) });

/** Runs and their files: LoRA on the model of the spec, and forks with LoRA of a full run and of that fork. */
const stored: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  full: whole,
  plain: adapter,
  fork: { ...adapter, ...forkOf('full') },
  second: { ...adapter, ...forkOf('fork') },
  orphan: { ...adapter, ...forkOf('pruned') },
};

const store: ArtifactStore = {
  list: async (runId, prefix) =>
    Object.entries(stored[runId] ?? {})
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, text]) => ({ path: name, bytes: text.length, sha256: '' })),
  fetch: async (runId, file, target) => writeFileSync(target, stored[runId]?.[file.path] ?? ''),
  store: () => Promise.reject(new Error('nothing is stored here')),
};

const { timing } = workerOptions.parse({ key: 'x', timing: { transferTries: 1 } });
const parts = () => ({
  store,
  timing,
  isOnline: () => true,
  signal: new AbortController().signal,
  runs: join(root, 'runs'),
  forks: join(root, 'forks'),
  warn: () => undefined,
});

const forkFrom = (runId: string) =>
  prepareRun(
    {
      attemptId: 'a',
      runId: 'new',
      jobId: 'j',
      number: 1,
      fork: { runId, path },
      resume: null,
    } as Assignment,
    parts(),
  );

const evaluate = (runId: string) =>
  prepareCheckpoint({ runId, evaluate: { path } } as unknown as Assignment, join(root, 'model'), parts());

describe('the base of a fork', () => {
  it.each([
    ['full', undefined],
    ['plain', 'spec'],
    ['fork', 'base'],
    ['second', 'base'],
  ])('of the run %s is %s', async (runId, base) => {
    const folder = join(root, 'forks/new');
    const expected = base === 'base' ? join(folder, 'base') : base;
    for (const _again of [1, 2])
      expect((await forkFrom(runId)).model).toEqual({ folder: join(folder, 'model'), base: expected });
    if (base === 'base') expect(readFileSync(join(folder, 'base/model.safetensors'), 'utf8')).toBe('weights');
  });

  it('is refused when it is not stored any more', async () => {
    await expect(forkFrom('orphan')).rejects.toMatchObject({
      code: 'worker.transfer_refused',
      message: expect.stringContaining('fetch the base of run orphan') as string,
    });
  });
});

describe('the base of an evaluated checkpoint', () => {
  it.each([
    ['full', undefined],
    ['plain', 'spec'],
    ['second', 'base'],
  ])('of the run %s is %s', async (runId, base) => {
    mkdirSync(join(root, 'model'));
    const expected = base === 'base' ? join(root, 'model/base') : base;
    expect(await evaluate(runId)).toEqual({ folder: join(root, 'model', path), base: expected });
  });
});

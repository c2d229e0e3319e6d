import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAssignment } from '../../../../test/support/assignment.js';
import type { Assignment } from '@espalier/protocol';
import type { ArtifactStore } from './artifact-store.js';
import { workerOptions } from '../worker-options.js';
import { prepareRun } from './fetch-run.js';
import { saveRunRecord } from './run-record.js';

let root = '';
let fetched: string[] = [];
let warnings: string[] = [];
let stored: Record<string, string> = {};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-fetch-'));
  mkdirSync(join(root, 'runs'));
  fetched = [];
  warnings = [];
  stored = { ...checkpointFiles(4), 'metrics.jsonl': log };
});
afterEach(() => rmSync(root, { recursive: true }));

const shaOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const stepName = (step: number): string => `checkpoints/step-${String(step).padStart(6, '0')}`;
const log = 'row\n'.repeat(10);

/** Files of a checkpoint, as the trainer writes them: a manifest over weights, spec and marks of the logs. */
function checkpointFiles(step: number): Record<string, string> {
  const rows = log.slice(0, 4 * step);
  const marks = { files: { 'metrics.jsonl': { bytes: rows.length, sha256: shaOf(rows) } } };
  const files: Record<string, string> = {
    'policy/model.safetensors': `weights ${step}`,
    'spec.json': '{}',
    'logs.json': JSON.stringify(marks),
  };
  const listed = Object.entries(files).map(([name, text]) => [
    name,
    { bytes: text.length, sha256: shaOf(text) },
  ]);
  files['manifest.json'] = JSON.stringify({ format: 1, files: Object.fromEntries(listed) });
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${stepName(step)}/${name}`, text]));
}

const store: ArtifactStore = {
  list: async (_runId, prefix) =>
    Object.entries(stored)
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, text]) => ({ path, bytes: text.length, sha256: shaOf(text) })),
  fetch: async (_runId, { path }, target) => {
    fetched.push(path);
    writeFileSync(target, stored[path] ?? '');
  },
  store: () => Promise.reject(new Error('nothing is stored here')),
};

function putLocal(steps: readonly number[], record?: { number: number; isShipped: boolean }): void {
  for (const [path, text] of steps.flatMap((step) => Object.entries(checkpointFiles(step)))) {
    mkdirSync(dirname(join(root, 'runs/run', path)), { recursive: true });
    writeFileSync(join(root, 'runs/run', path), text);
  }
  if (record !== undefined)
    saveRunRecord(join(root, 'runs'), 'run', { attemptId: 'before', jobId: 'job', ...record });
}

const prepare = (resumeStep: number | null, more: Partial<Assignment> = {}) => {
  const resume = resumeStep === null ? null : { step: resumeStep, path: stepName(resumeStep) };
  const { timing } = workerOptions.parse({ key: 'x', timing: { transferTries: 1 } });
  const parts = { store, timing, isOnline: () => true, signal: new AbortController().signal };
  return prepareRun(makeAssignment({ attemptId: 'now', number: 2, resume, ...more }), {
    ...parts,
    runs: join(root, 'runs'),
    forks: join(root, 'forks'),
    warn: (code, message) => warnings.push(`${code}: ${message}`),
  });
};
const localSteps = (): string[] => readdirSync(join(root, 'runs/run/checkpoints'));

describe('prepareRun', () => {
  it('resumes from a newer local checkpoint if the server has all events before it', async () => {
    putLocal([4, 6], { number: 1, isShipped: true });
    expect(await prepare(4)).toEqual({ isResumed: true });
    expect(localSteps()).toEqual(['step-000004', 'step-000006']);
  });

  it.each([
    ['the last attempt here has unsent events', { number: 1, isShipped: false }],
    ['another attempt worked elsewhere meanwhile', { number: 0, isShipped: true }],
    ['nobody knows who worked here', undefined],
  ])('rolls back to the checkpoint that the server names when %s', async (_what, record) => {
    putLocal([4, 6], record);
    expect(await prepare(4)).toEqual({ isResumed: true });
    expect(localSteps()).toEqual(['step-000004']);
    expect(fetched).toEqual([]);
  });

  it('fetches a missing checkpoint with the log up to it, and discards old files', async () => {
    putLocal([2], { number: 0, isShipped: true });
    writeFileSync(join(root, 'runs/run/old'), '');
    expect(await prepare(4)).toEqual({ isResumed: true });
    expect(localSteps()).toEqual(['step-000004']);
    expect(readFileSync(join(root, 'runs/run/metrics.jsonl'), 'utf8')).toBe(log.slice(0, 16));
    expect(existsSync(join(root, 'runs/run/old'))).toBe(false);
    expect(existsSync(join(root, 'runs/run/spec.json'))).toBe(true);
  });

  it('fetches the adapter that the run began with', async () => {
    stored['start/adapter_config.json'] = '{}';
    expect(await prepare(4)).toEqual({ isResumed: true });
    expect(readFileSync(join(root, 'runs/run/start/adapter_config.json'), 'utf8')).toBe('{}');
  });

  describe('of a fork that continues', () => {
    const fork = { runId: 'parent', path: stepName(4), continues: true };

    it('fetches the whole checkpoint of the parent, and starts with the model of the spec', async () => {
      const folder = join(root, 'forks/run/checkpoint', stepName(4));
      expect(await prepare(null, { fork })).toEqual({ isResumed: false, fork: folder });
      expect(readFileSync(join(folder, 'policy/model.safetensors'), 'utf8')).toBe('weights 4');
      expect(existsSync(join(folder, 'manifest.json'))).toBe(true);
    });

    it('starts with the model that its parent began with, if that was forked from weights', async () => {
      stored['fork.json'] = JSON.stringify({ runId: 'first', path: stepName(2) });
      Object.assign(stored, checkpointFiles(2));
      const { model } = await prepare(null, { fork });
      expect(readFileSync(join(model?.folder ?? '', 'model.safetensors'), 'utf8')).toBe('weights 2');
    });

    it('fetches nothing of its parent again once it has a checkpoint of its own', async () => {
      expect(await prepare(4, { fork: null })).toEqual({ isResumed: true });
      expect(existsSync(join(root, 'forks/run/checkpoint'))).toBe(false);
    });

    it('takes the weights of the checkpoint where the model of an imported run is nowhere here', async () => {
      const spec = { model: { path: join(root, 'nowhere') } };
      const { model } = await prepare(null, { fork, spec });
      expect(readFileSync(join(model?.folder ?? '', 'model.safetensors'), 'utf8')).toBe('weights 4');
    });

    it('is refused when the checkpoint is gone', async () => {
      const gone = prepare(null, { fork: { ...fork, path: stepName(6) } });
      await expect(gone).rejects.toMatchObject({ code: 'worker.transfer_refused' });
    });
  });

  it('ignores a corrupt local checkpoint', async () => {
    putLocal([4], { number: 1, isShipped: true });
    writeFileSync(join(root, 'runs/run', stepName(4), 'policy/model.safetensors'), 'weights 5');
    expect(await prepare(4)).toEqual({ isResumed: true });
    expect(fetched).toContain(`${stepName(4)}/policy/model.safetensors`);
    expect(fetched).not.toContain(`${stepName(4)}/manifest.json`);
  });

  it('starts over if the server has no checkpoint and the local one is not trusted', async () => {
    putLocal([6], { number: 1, isShipped: false });
    expect(await prepare(null)).toEqual({ isResumed: false });
    expect(existsSync(join(root, 'runs/run'))).toBe(false);
  });

  it.each([
    ['is not stored whole', () => delete stored[`${stepName(8)}/policy/model.safetensors`]],
    ['is damaged', () => (stored[`${stepName(8)}/policy/model.safetensors`] = 'weights 9')],
    ['is gone', () => Object.keys(checkpointFiles(8)).forEach((path) => delete stored[path])],
  ])('resumes from an older stored checkpoint, with a warning, if the newest %s', async (_what, damage) => {
    Object.assign(stored, checkpointFiles(8), checkpointFiles(2));
    damage();
    expect(await prepare(8)).toEqual({ isResumed: true });
    expect(localSteps()).toEqual(['step-000004']);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^worker.corrupt_checkpoint: .*step-000008.*step-000004.*repeating the steps after it$/,
      ),
    ]);
  });

  it('takes the older stored checkpoint with the highest step, not the last name', async () => {
    for (const step of [1_000_002, 1_000_000, 999_999]) Object.assign(stored, checkpointFiles(step));
    stored[`${stepName(1_000_002)}/policy/model.safetensors`] = 'weights 9';
    expect(await prepare(1_000_002)).toEqual({ isResumed: true });
    expect(localSteps()).toEqual(['step-1000000']);
  });

  it('joins the metrics log from the parts of the attempt that wrote the checkpoint', async () => {
    const other = 'diff\n'.repeat(10).slice(0, 16);
    Object.assign(stored, {
      'metrics.jsonl': other,
      'metrics/a1/000000000000000.jsonl': log.slice(0, 8),
      'metrics/a1/000000000000008.jsonl': log.slice(8, 20),
      'metrics/a2/000000000000000.jsonl': other,
      'metrics/a3/000000000000008.jsonl': log.slice(8, 20),
    });
    expect(await prepare(4)).toEqual({ isResumed: true });
    expect(readFileSync(join(root, 'runs/run/metrics.jsonl'), 'utf8')).toBe(log.slice(0, 16));
    expect(readdirSync(join(root, 'runs/run')).filter((name) => name.startsWith('metrics'))).toHaveLength(1);
  });

  describe('from a hostile worker', () => {
    const victim = (): string => join(root, 'victim.txt');
    beforeEach(() => writeFileSync(victim(), 'a file of another worker'));

    /** Replaces a file of the stored checkpoint, and lists it in the manifest as it is now. */
    const replace = (name: string, text: string, extra: Record<string, object> = {}): void => {
      stored[`${stepName(4)}/${name}`] = text;
      const path = `${stepName(4)}/manifest.json`;
      const { files } = JSON.parse(stored[path] ?? '') as { files: Record<string, object> };
      files[name] = { bytes: text.length, sha256: shaOf(text) };
      stored[path] = JSON.stringify({ format: 1, files: { ...files, ...extra } });
    };

    it.each(['../../victim.txt', '../run.fetched/../../victim.txt', '/tmp/victim', 'a\\b', 'a\0'])(
      'takes no log %j and cuts nothing',
      async (name) => {
        replace('logs.json', JSON.stringify({ files: { [name]: { bytes: 3, sha256: shaOf('a f') } } }));
        await expect(prepare(4)).rejects.toMatchObject({ code: 'worker.transfer_refused' });
        expect(readFileSync(victim(), 'utf8')).toBe('a file of another worker');
      },
    );

    it('uses no file outside the run that a manifest lists, even an identical one', async () => {
      const { length } = 'a file of another worker';
      const listed = { bytes: length, sha256: shaOf('a file of another worker') };
      replace('spec.json', '{}', { '../../../../victim.txt': listed });
      await expect(prepare(4)).rejects.toMatchObject({ code: 'worker.transfer_refused' });
    });

    it('writes nothing to a listed path that leaves the run', async () => {
      stored[`${stepName(4)}/../../../../victim.txt`] = 'overwritten';
      await expect(prepare(4)).rejects.toMatchObject({ code: 'contracts.unsafe_path' });
      expect(readFileSync(victim(), 'utf8')).toBe('a file of another worker');
    });
  });

  it('rejects an incomplete stored checkpoint if there is no older one', async () => {
    await expect(prepare(3)).rejects.toMatchObject({ code: 'worker.transfer_refused' });
    expect(existsSync(join(root, 'runs/run'))).toBe(false);
  });
});

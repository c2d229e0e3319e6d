import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { AttemptEvent } from '@espalier/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkerLog } from '../attempts/worker-log.js';
import { workerOptions } from '../worker-options.js';
import { createRunUpload } from './upload-run.js';

let root = '';
let stored: Map<string, string>;
let refused = (_path: string): boolean => false;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-upload-'));
  stored = new Map();
  refused = () => false;
});
afterEach(() => rmSync(root, { recursive: true }));

const { timing } = workerOptions.parse({ key: 'x', timing: { transferTries: 1 } });
const markOf = (text: string) => ({
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
});
const open = () =>
  createRunUpload({
    timing,
    signal: new AbortController().signal,
    isOnline: () => true,
    onFenced: () => undefined,
    runId: 'run',
    runFolder: join(root, 'run'),
    stageFolder: join(root, 'stage'),
    logFile: join(root, 'log.txt'),
    originFile: join(root, 'fork.json'),
    fencing: { attemptId: 'a1', token: 1 },
    workerLog: openWorkerLog(join(root, 'worker.jsonl')),
    store: {
      list: () => Promise.resolve([]),
      fetch: () => Promise.resolve(),
      store: async (_runId, { path, file, bytes }) => {
        if (refused(path)) throw new AppError('worker.transfer_refused', `store ${path}: no`);
        stored.set(path, readFileSync(file, 'utf8').slice(0, bytes));
      },
    },
  });

/** Appends rows and saves a checkpoint after them, as the trainer does. */
function saveCheckpoint(step: number, rows: string): AttemptEvent {
  const folder = join(root, 'run/checkpoints', `step-00000${step}`);
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(root, 'run/metrics.jsonl'), rows);
  const log = readFileSync(join(root, 'run/metrics.jsonl'), 'utf8');
  const logs = JSON.stringify({ files: { 'metrics.jsonl': markOf(log) } });
  writeFileSync(join(folder, 'logs.json'), logs);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ files: { 'logs.json': markOf(logs) } }));
  return { kind: 'checkpoint', time: 1, step, folder };
}
const manifests = (): string[] => [...stored.keys()].filter((path) => path.endsWith('manifest.json'));

describe('createRunUpload', () => {
  it('uploads every metrics row once, in parts, even after a restart of the worker', async () => {
    const first = open();
    for (const step of [1, 2]) {
      first.onEvent(saveCheckpoint(step, `row ${step}\n`));
      await expect.poll(manifests).toHaveLength(step);
    }
    const second = open();
    second.onEvent(saveCheckpoint(3, 'row 3\n'));
    await expect.poll(manifests).toHaveLength(3);
    expect([...stored].filter(([path]) => path.startsWith('metrics'))).toEqual([
      ['metrics/a1/000000000000000.jsonl', 'row 1\n'],
      ['metrics/a1/000000000000006.jsonl', 'row 2\n'],
      ['metrics/a1/000000000000012.jsonl', 'row 3\n'],
    ]);
    expect(await second.finish()).toBeUndefined();
    expect(stored.get('metrics.jsonl')).toBe('row 1\nrow 2\nrow 3\n');
  });

  it('uploads the adapter that the run began with, what makes it one last, and no part of another', async () => {
    const files = ['tokenizer.json', 'adapter_model.safetensors', 'adapter_config.json'];
    mkdirSync(join(root, 'run/start'), { recursive: true });
    for (const name of files) writeFileSync(join(root, 'run/start', name), name);
    const started = { kind: 'run-started', time: 1, step: 0 } as AttemptEvent;
    refused = (path) => path.endsWith('adapter_model.safetensors');
    const first = open();
    first.onEvent(started);
    expect(await first.finish()).toContain('start/adapter_model.safetensors');
    expect([...stored.keys()].filter((path) => path.startsWith('start/'))).toEqual(['start/tokenizer.json']);
    refused = () => false;
    const second = open();
    second.onEvent(started);
    await second.finish();
    expect([...stored.keys()].filter((path) => path.startsWith('start/'))).toEqual(
      files.map((name) => `start/${name}`),
    );
  });

  it('does not complete a checkpoint whose logs are missing; the next one uploads them', async () => {
    const upload = open();
    refused = (path) => path.startsWith('metrics/');
    upload.onEvent(saveCheckpoint(1, 'row 1\n'));
    await expect.poll(() => [...stored.keys()]).toEqual(['checkpoints/step-000001/logs.json']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    refused = () => false;
    upload.onEvent(saveCheckpoint(2, 'row 2\n'));
    await expect.poll(manifests).toEqual(['checkpoints/step-000002/manifest.json']);
    expect(stored.get('metrics/a1/000000000000000.jsonl')).toBe('row 1\nrow 2\n');
    expect(await upload.finish()).toMatch(/1 file\(s\) could not be uploaded.*step-000001\/manifest.json/);
  });
});

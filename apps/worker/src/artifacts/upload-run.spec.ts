import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { AttemptEvent } from '@espalier/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../attempts/journal.js';
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

const { tempo } = workerOptions.parse({ key: 'x', tempo: { transferTries: 1 } });
const markOf = (text: string) => ({
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
});
const open = () =>
  createRunUpload({
    ...{ tempo, signal: new AbortController().signal, isOnline: () => true, onFenced: () => undefined },
    ...{ runId: 'run', runFolder: join(root, 'run'), stageFolder: join(root, 'stage') },
    ...{ logFile: join(root, 'log.txt'), originFile: join(root, 'fork.json') },
    ...{ fencing: { attemptId: 'a1', token: 1 }, journal: openJournal(join(root, 'worker.jsonl')) },
    store: {
      ...{ list: () => Promise.resolve([]), fetch: () => Promise.resolve() },
      store: async (_runId, { path, file, bytes }) => {
        if (refused(path)) throw new AppError('worker.transfer_refused', `store ${path}: no`);
        stored.set(path, readFileSync(file, 'utf8').slice(0, bytes));
      },
    },
  });

/** Appends rows, and saves a checkpoint that goes on from them, as the trainer does. */
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
  it('stores every row of the metrics once, in parts, also after a restart of the worker', async () => {
    const first = open();
    for (const step of [1, 2]) {
      first.note(saveCheckpoint(step, `row ${step}\n`));
      await expect.poll(manifests).toHaveLength(step);
    }
    const second = open();
    second.note(saveCheckpoint(3, 'row 3\n'));
    await expect.poll(manifests).toHaveLength(3);
    expect([...stored].filter(([path]) => path.startsWith('metrics'))).toEqual([
      ['metrics/a1/000000000000000.jsonl', 'row 1\n'],
      ['metrics/a1/000000000000006.jsonl', 'row 2\n'],
      ['metrics/a1/000000000000012.jsonl', 'row 3\n'],
    ]);
    expect(await second.finish()).toBeUndefined();
    expect(stored.get('metrics.jsonl')).toBe('row 1\nrow 2\nrow 3\n');
  });

  it('does not let a checkpoint count whose logs are not stored; the next one stores them', async () => {
    const upload = open();
    refused = (path) => path.startsWith('metrics/');
    upload.note(saveCheckpoint(1, 'row 1\n'));
    await expect.poll(() => [...stored.keys()]).toEqual(['checkpoints/step-000001/logs.json']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    refused = () => false;
    upload.note(saveCheckpoint(2, 'row 2\n'));
    await expect.poll(manifests).toEqual(['checkpoints/step-000002/manifest.json']);
    expect(stored.get('metrics/a1/000000000000000.jsonl')).toBe('row 1\nrow 2\n');
    expect(await upload.finish()).toMatch(/1 file\(s\) could not be stored.*step-000001\/manifest.json/);
  });
});

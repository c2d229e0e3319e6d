import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Assignment } from '@espalier/protocol';
import { isLiving } from '@espalier/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workerOptions } from '../worker-options.js';
import { createAttemptFolder, type AttemptFolder } from './attempt-folder.js';
import { openJournal } from './journal.js';
import { createTrainerProcess } from './trainer-process.js';
import { type AttemptParts, workThrough } from './work-through.js';

let root = '';
let folder: AttemptFolder;
const { tempo } = workerOptions.parse({ key: 'x', tempo: { pollMs: 20, graceMs: 100 } });
const given = {
  ...{
    attemptId: 'a',
    jobId: 'job',
    runId: 'run',
    number: 1,
    token: 1,
    kind: 'train',
    devices: [],
    threads: 1,
  },
  ...{ spec: {}, resume: null, fork: null, evaluate: null },
} as unknown as Assignment;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-attempt-'));
  folder = createAttemptFolder(root, given);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const planOf = (script: string) => ({
  words: ['/bin/sh', '-c', script],
  ...{ env: {}, exitFile: folder.exitFile, logFile: folder.streamFile('log') },
});
/** Waits until the script has said that it listens. */
const listens = async (): Promise<void> => {
  while (!readFileSync(folder.streamFile('log'), 'utf8').includes('ready')) await wait(10);
};
const never = new AbortController().signal;

describe('workThrough', () => {
  it('takes a process up again whose start could not be noted, and never tells of an end before it ends', async () => {
    const cli = join(root, 'cli.mjs');
    writeFileSync(cli, 'setTimeout(() => process.exit(0), 1200);');
    const nothing = (): undefined => undefined;
    const log = { info: nothing, warn: nothing, error: nothing };
    const journal = openJournal(folder.streamFile('worker'));
    const trainer = createTrainerProcess(folder, tempo);
    const parts = {
      ...{
        folder,
        journal,
        trainer,
        worker: { cli, log, runs: join(root, 'runs'), forks: join(root, 'forks') },
      },
      ...{ upload: { finish: async () => undefined }, voice: { listen: nothing, lastWords: () => '' } },
      transfer: { tempo, signal: never, isOnline: () => true },
    } as unknown as AttemptParts;
    // a folder in its place: nothing can be appended
    mkdirSync(folder.streamFile('worker'));
    const working = workThrough(parts);
    while (!trainer.wasStarted()) await wait(10);
    await wait(200);
    expect(isLiving(folder.state().living ?? { pid: 0, started: null })).toBe(true);
    expect(folder.state().phase).toBe('running');
    rmSync(folder.streamFile('worker'), { recursive: true });
    await working;
    expect(journal.events).toMatchObject([{ kind: 'process-started' }, { kind: 'process-ended', code: 0 }]);
  });
});

describe('the process of an attempt', () => {
  it('is told of a request that cannot be noted, and only once', async () => {
    const trainer = createTrainerProcess(folder, tempo);
    await trainer.start(planOf('trap "echo told; exit 75" INT; echo ready; while :; do sleep 0.05; done'));
    await listens();
    mkdirSync(join(folder.path, 'state.json.tmp'));
    expect(() => trainer.ask('pause')).toThrow(/EISDIR/);
    expect(() => trainer.ask('pause')).toThrow(/EISDIR/);
    expect([trainer.asked(), folder.state().asked]).toEqual(['pause', undefined]);
    expect(await trainer.waitForEnd(never)).toEqual({ code: 75, signal: null });
  });

  it('is told of as slow, once, when it does not pause, and works on', async () => {
    let told = 0;
    const trainer = createTrainerProcess(folder, tempo, () => (told += 1));
    await trainer.start(planOf('trap "" INT; echo ready; sleep 0.8'));
    await listens();
    trainer.ask('pause');
    expect(await trainer.waitForEnd(never)).toEqual({ code: 0, signal: null });
    expect(told).toBe(1);
  });
});

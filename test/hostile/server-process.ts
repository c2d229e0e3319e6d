/** @file The built server as a process of its own, watched from inside and from outside. */
import { type ChildProcess, fork } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { removeFolder } from '@espalier/testing';

const main = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url));
const watcher = new URL('watch-server.mjs', import.meta.url).href;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the server holds after a collection of garbage. */
export interface Holdings {
  readonly heapMb: number;
  /** open files and sockets */
  readonly files: number;
}

/** How long the server gave no answer, ms. */
export interface Stall {
  /** its event loop stood still, the time that other processes got left out */
  readonly blockedMs: number;
  /** the longest wait of a probe that another thread sent */
  readonly probeMs: number;
  /** why a probe got no answer, or another one than 200; else empty */
  readonly failure: string;
}

export interface ServerProcess {
  readonly url: string;
  readonly adminKey: string;
  readonly workerKey: string;
  readonly isAlive: () => boolean;
  /** its standard error so far, which is its log */
  readonly log: () => string;
  /** its standard output so far */
  readonly output: () => string;
  /** The stalls since the last call. */
  stall(): Promise<Stall>;
  holdings(): Promise<Holdings>;
  close(): Promise<void>;
}

export const adminKey = 'admin-key-of-the-hostile-suite-0123456789';
export const workerKey = 'worker-key-of-the-hostile-suite-0123456789';

/** Little patience, so that what never arrives is given up within a test; as many wrong keys as the cases need. */
const settings = {
  PORT: '0',
  LOGLEVEL: 'info',
  LEASESECONDS: '3600',
  RETURNSECONDS: '0',
  MINFREEMB: '0',
  ACCESS__ADMINKEY: adminKey,
  ACCESS__WORKERKEY: workerKey,
  LIMITS__UNKNOWNKEYSPERMINUTE: '10000',
  LIMITS__ANONYMOUSREQUESTSPERMINUTE: '10000000',
  LIMITS__REQUESTSPERMINUTE: '10000000',
  LIMITS__SENTMBPERMINUTE: '10000000',
  HTTP__REQUESTSECONDS: '2',
  HTTP__UPLOADIDLESECONDS: '2',
  STREAM__FLUSHMS: '20',
};

/** Starts it. @param database its settings; default: SQLite in the data folder */
export async function startServerProcess(database: Record<string, string> = {}): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-hostile-'));
  const logFile = join(folder, 'log');
  const outputFile = join(folder, 'output');
  const given = Object.entries({ ...settings, ...database, DATA: join(folder, 'data') });
  const child = fork(main, [], {
    cwd: root,
    // half a gibibyte is plenty; what grows without bound is to fail soon
    execArgv: ['--import', watcher, '--expose-gc', '--max-old-space-size=768', '--no-warnings'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      ...Object.fromEntries(given.map(([name, value]) => [`ESPALIER__SERVER__${name}`, value])),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stderr?.pipe(createWriteStream(logFile));
  child.stdout?.pipe(createWriteStream(outputFile));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const url = await readUrl(child, ended);
  const probe = new Worker(new URL('probe-thread.mjs', import.meta.url), { workerData: { url } });
  const ask = createAsk(child, ended);
  return {
    url,
    adminKey,
    workerKey,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    log: () => readFileSync(logFile, 'utf8'),
    output: () => readFileSync(outputFile, 'utf8'),
    async stall() {
      const blockedMs = (await ask('blocked')) as number;
      const probed = await new Promise<Omit<Stall, 'blockedMs'>>((done) => {
        probe.once('message', done);
        probe.postMessage('take');
      });
      return { blockedMs, ...probed };
    },
    holdings: async () => (await ask('holdings')) as Holdings,
    async close() {
      await probe.terminate();
      child.kill('SIGTERM');
      await ended;
      removeFolder(folder);
    },
  };
}

async function readUrl(child: ChildProcess, ended: Promise<void>): Promise<string> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => void (said += chunk.toString().slice(0, 10_000)));
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString().slice(0, 10_000);
      const url = /espalier server: (http:\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(() => reject(new Error(`the server ended at its start: ${said}`)));
  });
}

function createAsk(child: ChildProcess, ended: Promise<void>): (ask: string) => Promise<unknown> {
  const waiting = new Map<number, (value: unknown) => void>();
  let count = 0;
  child.on('message', ({ id, value }: { id: number; value: unknown }) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  return async (ask) => {
    const id = ++count;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    child.send({ id, ask });
    return Promise.race([
      answer,
      ended.then(() => {
        throw new Error('the server has ended');
      }),
    ]);
  };
}

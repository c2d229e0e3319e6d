/** @file What the peers share: their writer in Python, files of values for it, their servers, a folder for all of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { root } from '../items/command.js';
import { openPythonPeer } from '../items/python-peer.js';
import type { BenchOptions } from '../row.js';
import type { Rows } from './viewer.js';

export interface PeerProcesses {
  readonly folder: string;
  readonly versions: string;
  /** Gives rows to the writer; resolves with what it calls the run. */
  write(rows: Rows): Promise<string>;
  /** Starts a server with `python -m`, and waits until an address of it answers with 2xx; gives its address. */
  serve(words: (port: number) => readonly string[], path: string): Promise<string>;
  close(): void;
}

/** Starts the writer of a peer, `write_NAME.py` in this folder. */
export async function openPeerProcesses(
  options: BenchOptions,
  name: string,
  argsIn: (folder: string) => readonly string[],
  envIn: (folder: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<PeerProcesses> {
  const folder = mkdtempSync(join(tmpdir(), `espalier-beside-${name}-`));
  const program = join(root, 'tools', 'bench', 'src', 'beside', `write_${name}.py`);
  const env = envIn(folder);
  const writer = await openPythonPeer(options, program, argsIn(folder), env);
  const children: ChildProcess[] = [];
  const close = (): void => {
    writer.close();
    // with the processes that they have started
    for (const { pid } of children.splice(0)) if (pid !== undefined) endGroup(pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  // neither an item that throws nor Ctrl-C, which does not reach groups of their own, must leave them behind
  process.once('exit', close);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return {
    folder,
    versions: Object.entries(writer.versions)
      .map(([of, version]) => `${of} ${version}`)
      .join(', '),
    async write({ values, ...rows }) {
      const file = join(folder, 'values');
      writeFileSync(file, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      return writer.ask<string>({ ...rows, file });
    },
    async serve(words, path) {
      const port = await freePort();
      const child = spawn(options.python ?? '', words(port), {
        cwd: folder,
        stdio: 'ignore',
        detached: true,
        env: { ...process.env, ...env },
      });
      children.push(child);
      const url = `http://127.0.0.1:${port}`;
      await waitForAnswer(child, url + path);
      return url;
    },
    close,
  };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });

async function waitForAnswer(child: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new AppError('bench.item_failed', `${child.spawnargs.join(' ')}: it ended before it answered`);
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new AppError('bench.item_failed', `${url} did not answer in two minutes`);
}

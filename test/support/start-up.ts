/** @file Starts `espalier up` (or `serve`) as a user would: in its own process and folder, on a free port. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@espalier/client';
import { removeFolder } from '@espalier/testing';
import { callCli } from './call-cli.js';
import type { CliResult } from './run-cli.js';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

export interface UpProcess {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  /** a folder of this test, where the data lies too */
  readonly folder: string;
  /** with the admin key */
  readonly client: Client;
  /** Runs a command for this server; `--key` may name another. */
  cli(...words: string[]): Promise<CliResult>;
  /** Runs a command with `--json` and returns its parsed last line; throws unless it exits with 0. */
  json<T = Record<string, unknown>>(...words: string[]): Promise<T>;
  /** Ends it, and removes the folder. */
  close(): Promise<void>;
}

/** Starts it and waits for its address. @param words more of the command line */
export async function startUp(command: 'up' | 'serve' = 'up', ...words: string[]): Promise<UpProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-up-'));
  const place = ['--port', '0', '--data', join(folder, 'data'), '--json'];
  const child = spawn(process.execPath, [main, command, ...place, ...words], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: {
      ...process.env,
      ESPALIER__SERVER__LOGLEVEL: 'error',
      ESPALIER_LOG: 'error',
      ESPALIER__SERVER__MODELROOTS: JSON.stringify([folder]),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const line = await new Promise<string>((done, fail) => {
    child.stdout.once('data', (chunk: Buffer) => done(chunk.toString()));
    void ended.then(() => fail(new Error(`espalier ${command} ended: ${said}`)));
  });
  const { url, adminKey: key } = JSON.parse(line) as { url: string; adminKey: string };
  const client = createClient({ url, key });
  const at = (given: readonly string[]): string[] => [
    ...given,
    '--server',
    url,
    ...(given.includes('--key') ? [] : ['--key', key]),
  ];
  return {
    url,
    key,
    folder,
    client,
    pid: child.pid ?? 0,
    cli: (...given) => callCli(at(given)),
    async json<T>(...given: string[]) {
      const { code, stdout, stderr } = await callCli(at([...given, '--json']));
      if (code !== 0) throw new Error(`${given.join(' ')} ended with ${String(code)}: ${stdout}${stderr}`);
      return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as T;
    },
    async close() {
      await client.dispose();
      child.kill('SIGTERM');
      await ended;
      removeFolder(folder);
    },
  };
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyService } from '@espalier/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/support/start-server.js';
import { createProcessConsole } from '../console.js';
import { runAtStart } from './run-at-start.js';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-run-at-start-'));
  server = await startTestServer();
}, 60_000);
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the key that a run of `up` gets', () => {
  it('ends with the run, also when that cannot be made', async () => {
    const config = join(folder, 'run.yaml');
    writeFileSync(config, 'stepz: 3\n');
    const opened = { server, options: server.options, adminKey: undefined } as never;
    const wish = { config, set: [], json: false };
    await expect(
      runAtStart(opened, wish, createProcessConsole(), new AbortController().signal),
    ).rejects.toThrow();
    const { nodes } = await server.app.get(KeyService).list({ first: 100 });
    const own = nodes.filter(({ name }) => name === 'run of up');
    expect(own).toHaveLength(1);
    expect(own[0]?.revokedAt).toEqual(expect.any(Number));
  });
});

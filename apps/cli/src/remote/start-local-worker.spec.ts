import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createKeeper, ownersForMe, startLocalWorker } from './start-local-worker.js';
import { calledAs } from '../parse-arguments.js';

// all that is asked of the server is its service of keys
vi.mock('@espalier/server', () => ({ KeyService: class {} }));

describe('the worker of up', () => {
  it('that cannot start is told of with what is known, and its key is revoked', async () => {
    const revoked: string[] = [];
    const keys = {
      create: async () => ({ secret: 'esp_x', key: { id: 'k1' } }),
      revoke: async (id: string) => void revoked.push(id),
    };
    const server = { url: 'http://127.0.0.1:9', app: { get: () => keys } };
    const opened = { server, options: { data: '/nonexistent/espalier' } } as never;
    // the sources have no program of their own, so that the process ends at once
    const place = { slots: '1', log: { path: 'worker.log', file: 2 } };
    const silent = { note: () => undefined } as never;
    const request = { beforeExit: () => undefined } as never;
    await expect(startLocalWorker(opened, place, silent, request)).rejects.toMatchObject({
      code: 'cli.worker_failed',
      message: 'start the worker: it ended with code 1; see also worker.log',
    });
    expect(revoked).toEqual(['k1']);
  });

  it('downloads models of all owners, unless settings list some', () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-owners-'));
    const file = join(folder, 'worker.yaml');
    const all = { ESPALIER__WORKER__HUBOWNERS: '["*"]' };
    expect(ownersForMe(file, {})).toEqual(all);
    writeFileSync(file, 'slots: 1\n');
    expect(ownersForMe(file, {})).toEqual(all);
    expect(ownersForMe(file, { espalier__worker__hubOwners: '[Qwen]' })).toEqual({});
    writeFileSync(file, 'hubOwners: [Qwen]\n');
    expect(ownersForMe(file, {})).toEqual({});
    rmSync(folder, { recursive: true });
  });

  it('that ends again and again is given up, which is told', async () => {
    const notes: string[] = [];
    const start = () =>
      spawn(process.execPath, ['-e', 'process.exit(3)'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const keeper = createKeeper(start, { note: (line) => void notes.push(line) }, 1);
    await keeper.watch();
    const why = /^the worker ended with code 3(: it ended with code 3)?; /;
    expect(notes.map((note) => note.replace(why, ''))).toEqual([
      ...[1, 2, 3, 4].map((time) => `restarting (${time} of 4)`),
      `it ended 5 times within a minute, so it is not restarted: jobs wait until \`${calledAs()} worker\` or \`up\` is started`,
    ]);
    expect(notes.every((note) => why.test(note))).toBe(true);
  });
});

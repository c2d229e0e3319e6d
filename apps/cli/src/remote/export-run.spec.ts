import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@espalier/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exportRun } from './export-run.js';

let root = '';
let server: Server;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-export-'));
  const offer = {
    runId: 'run-1',
    until: 7,
    from: {},
    expired: 0,
    format: 'jsonl',
    files: [{ name: 'metrics.jsonl', bytes: 5, sha256: '0'.repeat(64) }],
    artifacts: [],
  };
  server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(request.url?.includes('/manifest') === true ? JSON.stringify(offer) : 'other');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(root, { recursive: true });
});

it('an export whose file does not match its announced hash fails without a manifest', async () => {
  const client = createClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: 'key',
  });
  await expect(exportRun(client, 'run-1', root, { format: 'jsonl' })).rejects.toMatchObject({
    code: 'cli.corrupt_download',
    message: expect.stringMatching(
      /^export metrics\.jsonl: sha256 is [0-9a-f]{64}, the server announced 0{64}/,
    ),
  });
  expect(existsSync(join(root, 'manifest.json'))).toBe(false);
});

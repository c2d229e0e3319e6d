import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BackupManifest } from '@espalier/server/plain';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJob } from '../support/create-job.js';
import { sha256Of, uploadHeaders } from '../support/held-attempt.js';
import { callCli } from '../support/call-cli.js';
import { type S3Service, startS3 } from '../support/s3.js';
import { SimulatedWorker } from '../support/simulated-worker.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-backup-faults-'));
afterAll(() => removeFolder(folder));
const inFolder = (name: string): string => join(folder, name);
const manifestOf = (backup: string): BackupManifest =>
  JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8')) as BackupManifest;
const content = Buffer.alloc(300_000, 'the bytes of an artifact');

/** Stores one artifact as a worker does. @returns the id of its run */
async function storeArtifact(server: TestServer): Promise<string> {
  await createJob(server);
  const worker = new SimulatedWorker(server.url, server.workerKey, { name: 'w' });
  await worker.connect();
  const assignment = await worker.assigned(1);
  const put = await fetch(`${server.url}/api/v1/runs/${assignment.runId}/artifacts/logs/1.txt`, {
    method: 'PUT',
    headers: uploadHeaders(assignment, sha256Of(content), server.workerKey),
    body: content,
  });
  expect(put.status).toBe(200);
  worker.close();
  return assignment.runId;
}

describe.runIf(process.platform === 'linux')('a backup without room', () => {
  it('fails with what to do, leaves nothing, and succeeds once there is room', async () => {
    const server = await startTestServer({ leaseSeconds: 3600 });
    try {
      await storeArtifact(server);
      const out = inFolder('full');
      const words = ['backup', '--data', server.options.data, '--out', out, '--json'];
      // a file larger than this (in blocks of 512 bytes) is refused, as on a full disk
      const shell = `trap '' XFSZ; ulimit -f 200; exec "$0" "$@"`;
      const failed = spawnSync('sh', ['-c', shell, process.execPath, main, ...words], { encoding: 'utf8' });
      const { error } = JSON.parse(failed.stdout) as { error: { code: string; message: string } };
      expect([failed.status, error.code]).toEqual([5, 'backup.failed']);
      expect(error.message).toMatch(/^back up the database .*(?:full|disk I\/O error); .*disk/);
      expect(existsSync(out)).toBe(false);
      expect(await callCli(words)).toMatchObject({ code: 0 });
      expect(manifestOf(out).counts).toMatchObject({ runs: 1, artifacts: 1 });
    } finally {
      await server.close();
    }
  }, 120_000);
});

describe('a backup of a server with an S3 store', () => {
  let s3: S3Service;
  let server: TestServer;
  beforeAll(async () => {
    s3 = await startS3();
    const { endpoint, bucket } = s3;
    const store = { driver: 's3', endpoint, bucket, forcePathStyle: true };
    server = await startTestServer({ leaseSeconds: 3600, artifacts: { store } });
  });
  afterAll(async () => {
    await server.close();
    await s3.stop();
  });

  it('leaves the artifacts in the bucket, which it names, and a restored server reads them there', async () => {
    const runId = await storeArtifact(server);
    const store = JSON.stringify({
      driver: 's3',
      endpoint: s3.endpoint,
      bucket: s3.bucket,
      forcePathStyle: true,
    });
    const env = { ESPALIER__SERVER__ARTIFACTS__STORE: store };
    const out = inFolder('s3');
    expect(await callCli(['backup', '--data', server.options.data, '--out', out], { env })).toMatchObject({
      code: 0,
    });
    const { artifactStore, files, missing } = manifestOf(out);
    expect(JSON.stringify(artifactStore)).toContain(s3.bucket);
    expect(files.filter(({ path }) => path.startsWith('artifacts/'))).toEqual([]);
    expect(missing).toEqual([]);
    const data = inFolder('s3-data');
    expect(await callCli(['restore', out, '--data', data], { env })).toMatchObject({ code: 0 });
    await server.close();
    const restored = await startTestServer({ ...server.options, data, port: 0 });
    try {
      const answer = await fetch(`${restored.url}/api/v1/runs/${runId}/artifacts/logs/1.txt`, {
        headers: { authorization: `Bearer ${server.adminKey}` },
      });
      expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
    } finally {
      await restored.close();
    }
    rmSync(data, { recursive: true });
  }, 120_000);
});

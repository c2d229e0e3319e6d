import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { startS3 } from '../../../../../../test/support/s3.js';
import { freePort } from '@espalier/testing';
import { sha256Of, testArtifactStore } from '../../../testing/artifact-store.suite.js';
import { artifactStoreOptions } from '../../../config/storage-options.js';
import type { ServerOptions } from '../../../config/server-options.js';
import { createArtifactStore } from './create-artifact-store.js';

const optionsOf = (store: object) =>
  ({ data: 'x', database: { file: 'x' }, artifacts: { store } }) as unknown as ServerOptions;
const connect = (endpoint: string, bucket: string) =>
  createArtifactStore(
    optionsOf(
      artifactStoreOptions.parse({
        driver: 's3',
        bucket,
        endpoint,
        forcePathStyle: true,
        prefix: 'team/one',
      }),
    ),
  );

describe('the artifact store in a bucket', () => {
  testArtifactStore(async () => {
    const service = await startS3();
    const own = join(service.folder, service.bucket);
    return {
      store: await connect(service.endpoint, service.bucket),
      damage: (key) => {
        const path = join(own, 'team', 'one', `${key}._S3rver_object`);
        const bytes = readFileSync(path);
        bytes[0] = (bytes[0] ?? 0) ^ 1;
        writeFileSync(path, bytes);
        return Promise.resolve();
      },
      leftovers: () => {
        const uploads = join(own, '.s3rver_uploads');
        return Promise.resolve(existsSync(uploads) ? readdirSync(uploads) : []);
      },
      stop: service.stop,
    };
  });

  it('refuses in our words when the bucket or the server is not there', async () => {
    const service = await startS3();
    const missing = await connect(service.endpoint, 'other-bucket');
    await expect(missing.check()).rejects.toMatchObject({ code: 'artifact.unavailable' });
    await service.stop();
    const store = await connect(`http://127.0.0.1:${await freePort()}`, 'artifacts');
    const content = { bytes: 1, sha256: sha256Of(Buffer.from('x')) };
    for (const call of [
      () => store.check(),
      () => store.has('a'),
      () => store.open('a', content),
      () => store.list('a'),
      () => store.put('a', Readable.from([Buffer.from('x')]), content),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'artifact.unavailable' });
  }, 60_000);
});

describe('settings of the artifact store', () => {
  it('know two drivers and nothing besides', () => {
    expect(artifactStoreOptions.parse({ driver: 'directory' })).toEqual({
      driver: 'directory',
      folder: 'artifacts',
    });
    for (const bad of [
      { driver: 'ftp' },
      { driver: 's3' },
      { driver: 'directory', bucket: 'b' },
      { driver: 's3', bucket: 'b', prefix: '/a' },
    ])
      expect(artifactStoreOptions.safeParse(bad).success).toBe(false);
  });

  it('load the S3 client for a bucket only', () => {
    const built = new URL('../../../../dist/core/artifacts/store/create-artifact-store.js', import.meta.url)
      .href;
    const refuse = `export const resolve = (name, context, next) => {
      if (name.startsWith('@aws-sdk/')) throw new Error('the S3 client is loaded');
      return next(name, context);
    };`;
    const load = (options: object) => {
      const program = `import { register } from 'node:module';
        register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(refuse)}));
        const { createArtifactStore } = await import(${JSON.stringify(built)});
        await createArtifactStore(${JSON.stringify(optionsOf(options))});`;
      return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    };
    expect(load({ driver: 'directory', folder: 'x' })).toMatchObject({ status: 0, stderr: '' });
    expect(load({ driver: 's3', bucket: 'b' }).stderr).toContain('the S3 client is loaded');
  });
});

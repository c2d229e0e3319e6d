import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { uploadBody } from './request-body.js';

describe('uploadBody', () => {
  it('returns the bytes of a request', async () => {
    const request = new PassThrough();
    const bytes = uploadBody(request, 'a.json');
    request.end('all of it');
    expect((await buffer(bytes)).toString()).toBe('all of it');
  });

  it('fails for a later reader if the sender aborted, and affects nothing else', async () => {
    const request = new PassThrough();
    const bytes = uploadBody(request, 'a.json');
    request.write('a part');
    request.destroy(new Error('aborted'));
    await nextTurn();
    await expect(pipeline(bytes, new PassThrough().resume())).rejects.toThrow();
  });

  it('fails if the sender aborted before the body was requested', async () => {
    const request = new PassThrough();
    request.destroy();
    await nextTurn();
    await expect(buffer(uploadBody(request, 'a.json'))).rejects.toThrow('the connection was closed');
  });

  it('discards the remaining bytes if its reader fails', async () => {
    const request = new PassThrough();
    uploadBody(request, 'a.json').destroy();
    for (let part = 0; part < 100; part += 1) request.write(Buffer.alloc(16_384));
    request.end();
    await new Promise((resolve) => request.once('end', resolve));
    expect(request.readableEnded).toBe(true);
  });

  it('refuses a body that is not a stream', () => {
    expect(() => uploadBody({ some: 'json' }, 'a.json')).toThrow(/the body is no stream of bytes/);
  });
});

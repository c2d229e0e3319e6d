import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { Console } from '../console.js';
import { openServer } from './open-server.js';

describe('openServer', () => {
  it.each([
    ['99999', 'expected at most 65535'],
    ['-1', 'expected a whole number from 0 to 65535'],
    ['http', 'expected a whole number from 0 to 65535'],
  ])('refuses port %s before it loads the server', async (port, expected) => {
    await expect(openServer({ port, config: 'config/server.yaml' }, {} as Console)).rejects.toMatchObject({
      code: 'config.wrong_type',
      message: `--port: port is ${port}; ${expected}`,
    });
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    expect(loaded.filter((file) => file.includes('apps/server'))).toEqual([]);
  });
});

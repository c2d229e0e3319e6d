import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findKey, saveKeys } from './key-files.js';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'espalier-keys-'));
  vi.stubEnv('ESPALIER__SERVER__DATA', data);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(data, { recursive: true });
});

const find = (address: string): string => {
  try {
    return findKey('admin', new URL(address), '--key');
  } catch (error) {
    return (error as Error).message;
  }
};

describe('findKey', () => {
  it('gives a saved key to the server it belongs to, by any name of this machine, and to no other', () => {
    saveKeys(data, 'http://127.0.0.1:4501', { admin: 'mine' });
    expect(find('http://127.0.0.1:4501')).toBe('mine');
    expect(find('http://localhost:4501')).toBe('mine');
    expect(find('http://127.0.0.1:4500')).toBe(
      `find the admin key to http://127.0.0.1:4500: ${join(data, 'admin.key')} is the key to http://127.0.0.1:4501 and is sent nowhere else; name that server with --server http://127.0.0.1:4501, or pass the key to this one with --key`,
    );
    expect(find('https://127.0.0.1:4501')).toContain('sent nowhere else');
    expect(find('http://10.0.0.5:4501')).toContain('pass one with --key');
    expect(statSync(join(data, 'admin.key')).mode & 0o077).toBe(0);
  });

  it('follows a server that was started again at another address', () => {
    saveKeys(data, 'http://127.0.0.1:4501', { admin: 'mine' });
    saveKeys(data, 'http://127.0.0.1:4777', {});
    expect([find('http://127.0.0.1:4777'), find('http://127.0.0.1:4501')]).toEqual([
      'mine',
      expect.stringContaining('sent nowhere else'),
    ]);
  });

  it('finds the key of a server that was started beside another', () => {
    saveKeys(data, 'http://127.0.0.1:4500', { admin: 'first' });
    saveKeys(join(data, 'secondary'), 'http://127.0.0.1:40001', { admin: 'second' });
    expect([find('http://127.0.0.1:4500'), find('http://127.0.0.1:40001')]).toEqual(['first', 'second']);
  });

  it('says where keys come from when there is none', () => {
    expect(() => findKey('admin', new URL('http://127.0.0.1:4500'), '--key')).toThrow(
      expect.objectContaining({ code: 'cli.no_key' }),
    );
    expect(find('http://127.0.0.1:4500')).toMatch(/there is no .*admin\.key; start a server/);
  });
});

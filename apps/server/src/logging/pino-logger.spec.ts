import { describe, expect, it } from 'vitest';
import { serverOptions } from '../config/server-options.js';
import { createLog } from './pino-logger.js';

const adminKey = 'chosen-key-0123456789-0123456789-0123';
const options = serverOptions.parse({ access: { adminKey } });

function open() {
  const lines: string[] = [];
  return { lines, log: createLog(options, { write: (line) => void lines.push(line) }) };
}

describe('the log', () => {
  it.each([
    ['one word', 'a'.repeat(1_000_000)],
    ['schemes without end', 'a://'.repeat(250_000)],
    ['names without a host', '://a:b'.repeat(160_000)],
    ['beginnings of keys', 'esp_'.repeat(250_000)],
    ['announced keys that are none', 'Bearer '.repeat(140_000)],
    ['spaces after an announcement', `Bearer${' '.repeat(1_000_000)}`],
  ])('takes time in proportion to its text: %s', (_, text) => {
    const { lines, log } = open();
    const begin = performance.now();
    log.log(text);
    log.log({ path: text });
    log.error(new Error(text));
    // a quadratic search takes minutes
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(lines).toHaveLength(3);
  });

  it('has lines of bounded length, each of them JSON with its beginning kept', () => {
    const { lines, log } = open();
    log.log({ requestId: 'long-1', nested: { deep: ['x'.repeat(200_000)] } });
    log.error(new Error(`y${'"'.repeat(200_000)}`), 'z'.repeat(200_000));
    for (const line of lines) {
      expect(line.length).toBeLessThan(40_000);
      expect(JSON.parse(line)).toMatchObject({ msg: expect.stringContaining('characters') as string });
    }
    expect(lines[0]).toContain('long-1');
  });

  it('keeps no part of a key at the edge of what is cut', () => {
    for (let pad = 8000; pad < 8200; pad += 7) {
      const { lines, log } = open();
      log.log({ text: `${'x'.repeat(pad)}${adminKey}${'x'.repeat(60_000)}` });
      expect(lines.join('')).not.toContain(adminKey.slice(0, 12));
    }
  });

  it('leaves out what drivers attach to their errors', () => {
    const { lines, log } = open();
    const attached = { query: 'INSERT canary', parameters: ['canary'], headers: { a: 'canary' }, code: 'E1' };
    log.error(Object.assign(new Error('insert a key'), attached));
    expect(lines.join('')).not.toContain('canary');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ err: { message: 'insert a key', code: 'E1' } });
  });
});

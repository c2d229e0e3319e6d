import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '@espalier/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAssignment } from '../../../../test/support/assignment.js';
import { launch } from './launch.js';
import type { ServerConnection } from '../connection.js';
import { createEventShipper } from '../outbox/event-shipper.js';
import { createAttemptFolder } from './attempt-folder.js';
import { terminateLastLine } from '@espalier/files';
import { truncateLog, truncatePartialLine } from './file-end.js';

let root = '';
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-end-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const most = 100_000;
const after = (work: (file: string) => void, text: string): string => {
  const file = join(root, 'file');
  writeFileSync(file, text);
  work(file);
  return readFileSync(file, 'utf8');
};

describe('the end of a file', () => {
  it.each([
    ['', '', ''],
    ['a', 'a\n', ''],
    ['a\n', 'a\n', 'a\n'],
    ['a\nb', 'a\nb\n', 'a\n'],
    [`a\n${'b'.repeat(600_000)}`, `a\n${'b'.repeat(600_000)}\n`, 'a\n'],
  ])('is made a complete line (case %#)', (text, ended, cut) => {
    expect(after(terminateLastLine, text)).toBe(ended);
    expect(after(truncatePartialLine, text)).toBe(cut);
  });
});

describe('truncateLog', () => {
  it('keeps the beginning and the end, and says that output is missing', () => {
    const line = 'x'.repeat(99);
    const text = `${line}\n`.repeat(10_000) + 'why it ends\n';
    const kept = after((file) => expect(truncateLog(file, most)).toBe(true), text);
    expect(kept.slice(0, most)).toBe(text.slice(0, most));
    expect(kept.slice(most)).toMatch(
      /^\n\[capture output: the process has printed more than 100000 bytes and further lines/,
    );
    expect(kept.slice(most).length).toBeLessThan(10_000);
    expect(kept.endsWith(`\n${line}\nwhy it ends\n`)).toBe(true);
    expect(after((file) => expect(truncateLog(file, most)).toBe(false), 'short\n')).toBe('short\n');
  });

  it('bounds what is stored and sent of a process that prints endlessly, without stopping it', async () => {
    const folder = createAttemptFolder(root, makeAssignment());
    let sent = 0;
    let cuts = 0;
    const connection = {
      isOnline: () => true,
      reconnect: () => undefined,
      send: async (
        _name: string,
        { events }: { events: { sequence: number; event: { text: string } }[] },
      ) => {
        for (const { event } of events) sent += event.text.length + 1;
        return { ok: true, value: { acked: events.at(-1)?.sequence } };
      },
    } as unknown as ServerConnection;
    const nothing = (): undefined => undefined;
    const shipper = createEventShipper(folder, {
      data: '/nowhere',
      connection,
      pollMs: 10,
      onFenced: nothing,
      onEvent: nothing,
      logBytes: most,
      onTruncated: () => (cuts += 1),
    });
    shipper.resume({});
    const log = folder.streamFile('log');
    // the last line comes when the log is cut: what is printed during a cut may be lost
    const living = await launch({
      words: [
        '/bin/sh',
        '-c',
        `i=0; while [ $i -lt 40 ]; do head -c 100000 /dev/zero | tr '\\0' 'x' | fold -w 99; i=$((i+1)); done; sleep 1; echo last >&2`,
      ],
      env: { PATH: process.env['PATH'] ?? '' },
      exitFile: folder.exitFile,
      logFile: log,
    });
    while (isAlive(living)) await wait(10);
    while (!shipper.isDrained() || sent === 0) await wait(10);
    shipper.close();
    expect(readFileSync(folder.exitFile, 'utf8')).toBe('0\n');
    expect(cuts).toBeGreaterThan(0);
    expect(statSync(log).size).toBeLessThan(2_000_000);
    expect(sent).toBeLessThanOrEqual(most);
    expect(sent).toBeGreaterThan(most - 200);
    expect(readFileSync(log, 'utf8').endsWith('last\n')).toBe(true);
  });
});

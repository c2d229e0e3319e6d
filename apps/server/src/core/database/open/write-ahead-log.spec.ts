import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseOptions } from '../../../config/storage-options.js';
import { openDatabase } from './open-database.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-wal-'));
const rows = 40;
let source: DataSource;
let copies = 0;
/** The data folder of a server that was killed: everything in the log, nothing moved into the database since it opened. */
function copyKilled(): { data: string; file: string } {
  const data = join(folder, `killed-${(copies += 1)}`);
  mkdirSync(data);
  for (const name of ['', '-wal', '-shm', '.known'])
    copyFileSync(join(folder, 'live', `database.sqlite${name}`), join(data, `database.sqlite${name}`));
  return { data, file: join(data, 'database.sqlite') };
}
const open = async ({ data, file }: ReturnType<typeof copyKilled>): Promise<number> => {
  const opened = await openDatabase(databaseOptions.parse({ file }), data);
  const [found] = await opened.query<{ count: number }[]>('SELECT COUNT(*) AS count FROM committed');
  await opened.destroy();
  return Number(found?.count);
};

beforeAll(async () => {
  const data = join(folder, 'live');
  source = await openDatabase(databaseOptions.parse({ file: join(data, 'database.sqlite') }), data);
  await source.query('CREATE TABLE committed (id INTEGER PRIMARY KEY, text TEXT)');
  await source.query('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let id = 0; id < rows; id += 1)
    await source.transaction((manager) =>
      manager.query('INSERT INTO committed VALUES (?, ?)', [id, 'x'.repeat(3000)]),
    );
});
afterAll(async () => {
  await source.destroy();
  rmSync(folder, { recursive: true });
});

const frameBytes = 4096 + 24;

describe('the write-ahead log of a server that was killed', () => {
  it('is read to its end', async () => {
    expect(await open(copyKilled())).toBe(rows);
  });

  it.each<[string, (wal: string) => void]>([
    ['has lost its last frame', (wal) => truncateSync(wal, statSync(wal).size - frameBytes)],
    ['has lost its last byte', (wal) => truncateSync(wal, statSync(wal).size - 1)],
    [
      'has a bit flipped in its last frame',
      (wal) => {
        const bytes = readFileSync(wal);
        const at = bytes.length - 100;
        bytes[at] = (bytes[at] ?? 0) ^ 4;
        writeFileSync(wal, bytes);
      },
    ],
    [
      'has a damaged header',
      (wal) => writeFileSync(wal, Buffer.concat([Buffer.alloc(32, 7), readFileSync(wal).subarray(32)])),
    ],
    ['is gone', (wal) => rmSync(wal)],
  ])('is refused when it %s', async (_what, damage) => {
    const killed = copyKilled();
    damage(`${killed.file}-wal`);
    await expect(open(killed)).rejects.toMatchObject({
      code: 'server.database_lost',
      message: expect.stringMatching(
        /write-ahead log .* has \d+ of \d+ committed frames, .*restore the file from a backup/,
      ) as string,
    });
  });

  it('opens without the commits that it lost once its index is removed', async () => {
    const killed = copyKilled();
    truncateSync(`${killed.file}-wal`, statSync(`${killed.file}-wal`).size - frameBytes);
    rmSync(`${killed.file}-shm`);
    expect(await open(killed)).toBeLessThan(rows);
  });

  it('is accepted with frames behind the last commit, as a process leaves that is killed while it writes', async () => {
    const killed = copyKilled();
    const wal = readFileSync(`${killed.file}-wal`);
    writeFileSync(`${killed.file}-wal`, Buffer.concat([wal, wal.subarray(-frameBytes, -500)]));
    expect(await open(killed)).toBe(rows);
  });

  it('is accepted when it was begun anew after its index was written, as after a power failure', async () => {
    const killed = copyKilled();
    const stale = readFileSync(`${killed.file}-shm`);
    const again = await openDatabase(databaseOptions.parse({ file: killed.file }), killed.data);
    await again.query('PRAGMA wal_checkpoint(RESTART)');
    await again.query(`INSERT INTO committed VALUES (${rows}, 'after')`);
    const next = copyKilled();
    for (const name of ['', '-wal']) copyFileSync(`${killed.file}${name}`, `${next.file}${name}`);
    await again.destroy();
    writeFileSync(`${next.file}-shm`, stale);
    expect(await open(next)).toBe(rows + 1);
  });
});

/** @file The suite: one server for all cases of all transports; after each it must be as good as before. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyCase, transports } from './all-cases.js';
import { chooseCases } from './choose-cases.js';
import { pickCases } from './random-cases.js';
import type { Findings } from './send.js';
import { type Holdings, type ServerProcess, startServerProcess } from './server-process.js';
import { createWorld, type World } from './world.js';

/**
 * The server has stalled when its loop stood still for so long and a probe waited for so long: either alone also happens
 * on a busy machine, where the kernel gives the server no processor, or the thread of the probe none.
 */
const stallMs = 250;

/** Whether all cases of the tables are sent; then minutes of random cases follow. `npm run hostile` sets them. */
const isWhole = process.env['HOSTILE_MINUTES'] !== undefined;
const minutes = Number(process.env['HOSTILE_MINUTES'] ?? 0);
const seed = Number(process.env['HOSTILE_SEED'] ?? 0);

/** Sends cases at once and looks whether the server stalled. What stalls because of a case stalls again. */
async function runCases(cases: readonly AnyCase[], world: World): Promise<Findings> {
  let stalled = '';
  for (let tried = 0; tried < 3; tried += 1) {
    await world.server.stall();
    const findings = (await Promise.all(cases.map((one) => one.send(world)))).flat();
    if (findings.length > 0) return findings;
    if (!world.server.isAlive()) return ['the server has ended'];
    const { blockedMs, probeMs, failure } = await world.server.stall();
    if (failure !== '') return [failure];
    if (Math.min(blockedMs, probeMs) < stallMs) return [];
    stalled = `its loop stood still for ${blockedMs.toFixed(0)} ms, a probe waited ${probeMs.toFixed(0)} ms`;
  }
  return [stalled];
}

/** What garbage collection, caches and compiled code may add, MiB; what the cases leave in lists is bounded. */
const growthMb = 64;
const growthFiles = 20;

/** Whether a line of the log is an entry that the server wrote, not one that a request forged. */
function isEntry(line: string): boolean {
  try {
    const entry = JSON.parse(line) as { level?: unknown; code?: unknown };
    return typeof entry.level === 'string' && entry.code !== 'forged';
  } catch {
    return false;
  }
}

/** Sends the cases of the tables, one by one. */
function describeTables(tables: typeof transports, world: () => World): void {
  for (const [transport, cases] of Object.entries(tables))
    describe(transport, () => {
      for (const one of cases)
        it(one.name, async () => {
          expect((await runCases([one], world())).join('\n')).toBe('');
          await world().beat();
        });
    });
}

/** Sends changed cases, several at once, until the time is over. */
function describeRandom(world: () => World): void {
  it(
    `holds against random cases for ${minutes} min, seed ${seed}`,
    async () => {
      const all = Object.values(transports).flat();
      const end = Date.now() + minutes * 60_000;
      let index = 0;
      for (; Date.now() < end; index += 1) {
        const picked = pickCases(all, seed, index);
        const names = picked.map(({ name }) => name).join(' | ');
        expect(await runCases(picked, world()), `case ${index} of seed ${seed}: ${names}`).toEqual([]);
        await world().beat();
      }
      console.log(`${index} random cases, seed ${seed}`);
    },
    minutes * 60_000 + 120_000,
  );
}

/**
 * @param salt chooses the cases of the short form, one in `share` of a kind
 * @param least how many they are
 * @param open starts what the server needs, and gives its settings
 */
export function describeHostile(
  name: string,
  { salt, share, least }: Readonly<Record<'salt' | 'share' | 'least', number>>,
  open: () => Promise<{ settings: Record<string, string>; close(): Promise<void> }>,
): void {
  describe(`hostile input, on ${name}`, () => {
    let database: Awaited<ReturnType<typeof open>>;
    let server: ServerProcess;
    let world: World;
    let canary = '';
    let before: Holdings;
    beforeAll(async () => {
      database = await open();
      server = await startServerProcess(database.settings);
      world = await createWorld(server);
      canary = await world.readCanary();
      before = await server.holdings();
    });
    afterAll(async () => {
      world?.close();
      await server?.close();
      await database?.close();
    });

    const tables = isWhole ? transports : chooseCases(transports, salt, share);
    it(`has ${least} cases at least, and its share for every transport`, () => {
      const counts = Object.values(tables).map((cases) => cases.length);
      for (const [transport, { length }] of Object.entries(transports))
        expect(tables[transport]?.length, transport).toBeGreaterThanOrEqual(length / share);
      expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(least);
    });

    describeTables(tables, () => world);
    if (minutes > 0) describeRandom(() => world);

    it('leaves all that was stored before as it was', async () => {
      expect(await world.readCanary()).toBe(canary);
    });

    it('loses no event that was acknowledged', async () => {
      const { stored, acknowledged } = await world.readHeld();
      expect(acknowledged).toBeGreaterThan(400);
      expect(stored).toHaveLength(acknowledged);
    });

    it('leaves the server with what it held before', async () => {
      // sockets that were left open are closed by the server within this time
      await wait(3000);
      const after = await server.holdings();
      expect(after.heapMb - before.heapMb).toBeLessThan(growthMb);
      expect(after.files - before.files).toBeLessThan(growthFiles);
    });

    it('stands in its log on lines that are JSON, without keys', () => {
      const log = server.log();
      const output = server.output();
      const lines = log.trimEnd().split('\n');
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.filter((line) => !isEntry(line))).toEqual([]);
      const { wrong: _unknown, ...keys } = world.keys;
      expect(
        Object.entries(keys).filter(([, key]) => key !== undefined && (log + output).includes(key)),
      ).toEqual([]);
      expect(log + output).not.toMatch(/esp_[\w-]{43}/);
    });
  });
}

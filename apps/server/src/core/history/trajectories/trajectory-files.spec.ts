import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Trajectory } from '@espalier/contracts';
import { encodeTrajectory } from '@espalier/recorder';
import { describe, expect, it } from 'vitest';
import type { ArtifactService } from '../../artifacts/artifact.service.js';
import { TrajectoryFiles, type TrajectoryRequest } from './trajectory-files.service.js';

const idOf = (index: number): string => `train/7/0/${index}`;
const lineOf = (index: number, text = ''): string => {
  const trajectory = {
    id: idOf(index),
    environment: 'bandit',
    split: 'train',
    step: 7,
    group: 0,
    index,
    seeds: { state: 1, noise: 2, sampling: 3 },
    tokens: Int32Array.of(index),
    logprobs: Float32Array.of(0),
    entropies: Float32Array.of(0),
    spans: [],
    turns: [],
    score: { total: 1, parts: {} },
    success: true,
    stopReason: 'done',
    error: text,
  } as unknown as Trajectory;
  return `${encodeTrajectory(trajectory, { kept: true })}\n`;
};

const requestOf = (index: number, position = 0): TrajectoryRequest => ({
  runId: 'run',
  keyId: 'key',
  step: 7,
  id: idOf(index),
  position,
});

/** Text that packs badly. */
const randomText = (length: number): string => randomBytes(length / 2).toString('hex');

/** Files whose one file is that text, in gzip members of a few lines each. */
function filesOf(members: readonly string[]): {
  files: TrajectoryFiles;
  opened: () => number;
  starts: number[];
} {
  const starts: number[] = [];
  const packed = Buffer.concat(members.map((text) => gzipSync(text, { level: 1 })));
  const artifacts = {
    find: async () => ({ sha256: 'hash', bytes: packed.length }),
    open: async (_run: string, _path: string, { start } = { start: 0 }) => {
      starts.push(start);
      const pieces = [];
      for (let at = start; at < packed.length; at += 65_536) pieces.push(packed.subarray(at, at + 65_536));
      return { stream: Readable.from(pieces) };
    },
  } as unknown as ArtifactService;
  return { files: new TrajectoryFiles(artifacts), opened: () => starts.length, starts };
}

describe('TrajectoryFiles', () => {
  it('reads a file once for concurrent requests, and caches neighbours', async () => {
    const { files, opened } = filesOf([lineOf(0) + lineOf(1), lineOf(2), lineOf(3) + lineOf(4)]);
    const wanted = Array.from({ length: 40 }, (_, index) => index % 5);
    const read = await Promise.all(wanted.map((index) => files.read(requestOf(index))));
    expect(read.map(({ tokens }) => tokens[0])).toEqual(wanted);
    await files.read(requestOf(3));
    expect(opened()).toBeLessThanOrEqual(2);
    await expect(files.read(requestOf(9))).rejects.toMatchObject({ code: 'trajectory.not_stored' });
  });

  it('caches a bounded part of a large file, and finds every trajectory in it', async () => {
    const filler = 'x'.repeat(1_000_000);
    const { files } = filesOf(Array.from({ length: 60 }, (_, index) => lineOf(index, filler)));
    for (const index of [59, 0, 30]) expect((await files.read(requestOf(index))).tokens[0]).toBe(index);
    expect(files.cachedCharacters).toBeLessThanOrEqual(40 * 1024 * 1024);
    expect(files.cachedCharacters).toBeGreaterThan(1_000_000);
  });

  it('starts shortly before the estimated position, and reads from the start if it is not found there', async () => {
    const members = Array.from({ length: 30 }, (_, index) => lineOf(index, randomText(500_000)));
    const { files, starts } = filesOf(members);
    expect((await files.read(requestOf(28, 28 / 30))).tokens[0]).toBe(28);
    expect(starts).toHaveLength(1);
    expect(starts[0]).toBeGreaterThan(3_000_000);
    expect((await files.read(requestOf(29, 29 / 30))).tokens[0]).toBe(29);
    expect(starts).toHaveLength(1); // it came with the one before
    expect((await files.read(requestOf(2, 0.9))).tokens[0]).toBe(2);
    expect(starts.slice(1).map((start) => start > 0)).toEqual([true, false]);
    await expect(files.read(requestOf(99, 0.9))).rejects.toMatchObject({
      code: 'trajectory.not_stored',
    });
  });

  it('refuses a trajectory that is too large, and reads its neighbours', async () => {
    const { files } = filesOf([lineOf(0), lineOf(1, 'x'.repeat(34_000_000)), lineOf(2)]);
    await expect(files.read(requestOf(1))).rejects.toMatchObject({
      code: 'trajectory.too_large',
      message: expect.stringMatching(/it has 34\d+ bytes, and a server reads at most 33554432/),
    });
    expect((await files.read(requestOf(2))).tokens[0]).toBe(2);
  });

  it('reports a damaged file to all pending requests, and serves later ones', async () => {
    let isDamaged = true;
    const artifacts = {
      find: async () => ({ sha256: 'hash' }),
      open: async () => ({
        stream: Readable.from([isDamaged ? Buffer.from('no gzip') : gzipSync(lineOf(0))]),
      }),
    } as unknown as ArtifactService;
    const files = new TrajectoryFiles(artifacts);
    const both = await Promise.allSettled([0, 0].map((index) => files.read(requestOf(index))));
    for (const one of both)
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'trajectory.unreadable' } });
    isDamaged = false;
    expect((await files.read(requestOf(0))).tokens[0]).toBe(0);
  });

  describe('with a hostile file', () => {
    /** Files of several runs, by run; a function gives a stream of its own making. */
    function filesByRun(
      content: Readonly<Record<string, Buffer | (() => Readable)>>,
      Files: typeof TrajectoryFiles = TrajectoryFiles,
    ): { files: TrajectoryFiles; opened: string[] } {
      const opened: string[] = [];
      const artifacts = {
        find: async (runId: string) => ({ sha256: runId, bytes: 1000 }),
        open: async (runId: string) => {
          opened.push(runId);
          const source = content[runId];
          return { stream: typeof source === 'function' ? source() : Readable.from([source]) };
        },
      } as unknown as ArtifactService;
      return { files: new Files(artifacts), opened };
    }
    class HastyFiles extends TrajectoryFiles {
      protected override readonly deadlineMs = 300;
    }
    const ask = (files: TrajectoryFiles, runId: string, keyId: string, signal?: AbortSignal) =>
      files.read({ ...requestOf(0), runId, keyId, ...(signal === undefined ? {} : { signal }) });
    const good = gzipSync(lineOf(0));
    const silent = (): Readable => new Readable({ read: () => undefined });

    it.each([
      ['500 MB of empty lines', Buffer.alloc(500_000_000, '\n'), /more than 200000 lines/],
      ['short lines without end', Buffer.from('x\n'.repeat(250_000)), /more than 200000 lines/],
      ['600 MB of one line', Buffer.alloc(600_000_000, 'x'), /unpacks to more than 536870912 bytes/],
    ])(
      'refuses %s, once for all requests, while others read',
      { timeout: 60_000 },
      async (_what, text, message) => {
        const { files, opened } = filesByRun({ bad: gzipSync(text, { level: 9 }), good });
        const refused = Promise.allSettled(Array.from({ length: 8 }, () => ask(files, 'bad', 'hostile')));
        expect((await ask(files, 'good', 'other')).id).toBe(idOf(0));
        for (const one of await refused)
          expect(one).toMatchObject({
            reason: { code: 'trajectory.too_large', message: expect.stringMatching(message) },
          });
        await expect(ask(files, 'bad', 'hostile')).rejects.toMatchObject({ code: 'trajectory.too_large' });
        expect(opened.filter((runId) => runId === 'bad')).toHaveLength(1);
      },
    );

    it('serves other keys while files of one key stall, and gives up on those in time', async () => {
      const runs = Array.from({ length: 6 }, (_, index) => `bad-${index}`);
      const { files } = filesByRun(
        { ...Object.fromEntries(runs.map((run) => [run, silent])), good },
        HastyFiles,
      );
      const stalled = Promise.allSettled(runs.map((run) => ask(files, run, 'hostile')));
      expect((await ask(files, 'good', 'other')).id).toBe(idOf(0));
      for (const one of await stalled)
        expect(one).toMatchObject({ reason: { code: 'trajectory.unavailable' } });
      expect((await ask(files, 'good', 'hostile')).id).toBe(idOf(0));
    });

    it('does not let a key wait for another key that requests the same file', async () => {
      const runs = Array.from({ length: 6 }, (_, index) => `bad-${index}`);
      const sources: Readable[] = [silent(), Readable.from([good])];
      const shared = (): Readable => sources.pop() ?? silent();
      const { files } = filesByRun(
        { ...Object.fromEntries(runs.map((run) => [run, silent])), shared },
        HastyFiles,
      );
      // the two slots of this key are taken, so its request for the shared file waits for its turn
      const greedy = [...runs, 'shared'].map((run) => ask(files, run, 'hostile'));
      void Promise.allSettled(greedy);
      expect((await ask(files, 'shared', 'other')).id).toBe(idOf(0));
      await Promise.allSettled(greedy);
    });

    it('stops reading when the last client of the file disconnects', async () => {
      let source = silent();
      const { files } = filesByRun({ bad: () => (source = silent()) });
      const clients = [new AbortController(), new AbortController()];
      const both = clients.map(({ signal }) =>
        ask(files, 'bad', 'a', signal).catch((error: unknown) => error),
      );
      await expect.poll(() => source.listenerCount('data')).toBeGreaterThan(0);
      clients[0]?.abort();
      expect(await both[0]).toMatchObject({ code: 'trajectory.unavailable' });
      await new Promise(setImmediate);
      expect(source.destroyed).toBe(false);
      clients[1]?.abort();
      await expect.poll(() => source.destroyed).toBe(true);
    });
  });
});

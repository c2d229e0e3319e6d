/** @file An imported run is exported as its folder has it: manifest, facts, metrics, trajectories, records. */
import { availableParallelism, cpus, hostname } from 'node:os';
import { join } from 'node:path';
import { requestedThreads } from '@espalier/contracts/values';
import { listTrajectorySteps, readMetrics, readTrajectories } from '@espalier/recorder';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { sha256Of as sha256 } from '../support/held-attempt.js';
import type { TestServer } from '../support/start-server.js';

interface ImportedRun {
  readonly server: TestServer;
  /** the folder that was imported */
  readonly folder: string;
  readonly runId: string;
}

interface Manifest {
  readonly until: number;
  readonly files: readonly { name: string; bytes: number; sha256: string; rows?: number }[];
  readonly artifacts: readonly { name: string; sha256: string }[];
}

const asBuffer = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;

/** @param world is called within the tests */
export function describeExport(world: () => ImportedRun): void {
  const auth = (key = world().server.adminKey): Record<string, string> => ({
    authorization: `Bearer ${key}`,
  });
  const get = (path: string, key?: string): Promise<Response> =>
    fetch(`${world().server.url}/api/v1/runs/${path}`, { headers: auth(key) });
  const exported = async (name: string, until: number): Promise<Buffer> => {
    const answer = await get(`${world().runId}/export/${name}?until=${until}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    return Buffer.from(await answer.arrayBuffer());
  };

  describe('an export', () => {
    it.each(['jsonl', 'csv', 'parquet'] as const)(
      'as %s has the bytes that its manifest tells',
      async (format) => {
        const manifest = (await (
          await get(`${world().runId}/export/manifest?format=${format}`)
        ).json()) as Manifest;
        expect(manifest.files.map(({ name }) => name)).toEqual([
          'run.json',
          `metrics.${format}`,
          `trajectories.${format}`,
          `records.${format}`,
        ]);
        for (const file of manifest.files) {
          const bytes = await exported(file.name, manifest.until);
          expect([file.name, bytes.length, sha256(bytes)]).toEqual([file.name, file.bytes, file.sha256]);
        }
        expect(manifest.artifacts).toHaveLength(
          listTrajectorySteps(join(world().folder, 'trajectories')).length,
        );
      },
    );

    it('tells all facts of the run, as they were when its manifest was made', async () => {
      const address = `${world().server.url}/api/v1/runs/${world().runId}`;
      const headers = { ...auth(), 'content-type': 'application/json' };
      const change = async (note: string): Promise<void> =>
        void (await fetch(address, {
          method: 'PATCH',
          headers,
          body: JSON.stringify({ note, tags: ['a', note] }),
        }));
      await change('first');
      const { until, files } = (await (await get(`${world().runId}/export/manifest`)).json()) as Manifest;
      await change('second');
      const bytes = await exported('run.json', until);
      expect(sha256(bytes)).toBe(files[0]?.sha256);
      const told = JSON.parse(bytes.toString()) as Record<string, unknown>;
      const name = (cpus()[0]?.model ?? '').trim();
      const processor = {
        id: 'cpu',
        kind: 'cpu',
        name,
        threads: requestedThreads(process.env) ?? availableParallelism(),
      };
      expect(told).toMatchObject({
        id: world().runId,
        state: 'finished',
        tags: ['a', 'first'],
        note: 'first',
        priority: 0,
        host: hostname(),
        imported: true,
        versions: { node: process.versions.node },
        plugins: expect.any(Array) as unknown[],
        jobs: expect.arrayContaining([
          expect.objectContaining({ kind: 'train', state: 'finished' }),
        ]) as unknown[],
        attempts: [
          { number: 1, host: hostname(), hardware: [processor] },
          { number: 2, hardware: [processor] },
        ],
        alerts: expect.any(Array) as unknown[],
      });
      for (const moment of ['startedAt', 'endedAt']) expect(Date.parse(String(told[moment]))).not.toBeNaN();
      expect(Object.keys(told)).toEqual(
        expect.arrayContaining(['spec', 'source', 'overrides', 'gitRevision']),
      );
      const { until: later } = (await (await get(`${world().runId}/export/manifest`)).json()) as Manifest;
      expect((await exported('run.json', later)).toString()).toContain('"second"');
    });

    it('has every metric of every row with all its bits, in every format', async () => {
      const { until } = (await (
        await get(`${world().runId}/export/manifest?what=metrics`)
      ).json()) as Manifest;
      const source = readMetrics(join(world().folder, 'metrics.jsonl'));
      const expected = source.map(({ step, attempt, time, values }) => {
        const finite = Object.entries(values).filter(([, value]) => Number.isFinite(value));
        return { step, attempt, time, ...Object.fromEntries(finite) };
      });
      const drop = (row: Record<string, unknown>): Record<string, unknown> =>
        Object.fromEntries(
          Object.entries(row)
            .filter(
              ([name, value]) => name !== 'cursor' && value !== null && value !== undefined && value !== '',
            )
            .map(([name, value]) => [name, Number(value)]),
        );
      const lines = (await exported('metrics.jsonl', until)).toString().trim().split('\n');
      expect(lines.map((line) => drop(JSON.parse(line) as Record<string, unknown>))).toEqual(expected);
      const [header = '', ...rows] = (await exported('metrics.csv', until)).toString().trim().split('\r\n');
      const names = header.split(',');
      const table = rows.map((row) => Object.fromEntries(row.split(',').map((cell, i) => [names[i], cell])));
      expect(table.map(drop)).toEqual(expected);
      const parquet = await parquetReadObjects({ file: asBuffer(await exported('metrics.parquet', until)) });
      expect(parquet.map(drop)).toEqual(expected);
    });

    it('has each stored row once; a step with a validation has one of training and one of the validation', async () => {
      const lines = (await exported('metrics.jsonl', 1e9)).toString().trim().split('\n');
      const rows = lines.map((line) => JSON.parse(line) as Record<string, number>);
      const cursors = rows.map(({ cursor }) => cursor);
      expect(new Set(cursors).size).toBe(cursors.length);
      const perStep = new Map<number, string[][]>();
      for (const { cursor: _cursor, attempt: _attempt, time: _time, step = -1, ...values } of rows)
        perStep.set(step, [...(perStep.get(step) ?? []), Object.keys(values)]);
      const [training = [], validation = [], ...others] = perStep.get(4) ?? [];
      expect(others).toEqual([]);
      expect(training.some((name) => name.startsWith('validation/'))).toBe(false);
      expect(validation.filter((name) => training.includes(name))).toEqual([
        'energy/measured_joules',
        'time/cpu_seconds',
      ]);
      expect(perStep.get(5)).toHaveLength(1);
    });

    it('has every trajectory of the world().folder, with its text', async () => {
      const trajectories = join(world().folder, 'trajectories');
      const expected = listTrajectorySteps(trajectories)
        .flatMap((step) => readTrajectories(trajectories, { step }))
        .map(({ id, score, success, kept }) => ({ id, reward: score.total, success, kept }));
      const rows = await parquetReadObjects({ file: asBuffer(await exported('trajectories.parquet', 1e9)) });
      const told = rows.map(({ id, reward, success, kept }) => ({ id: String(id), reward, success, kept }));
      const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
      expect(told.sort(byId)).toEqual(expected.sort(byId));
      expect(
        rows.map(({ text }) => text).filter((text) => typeof text !== 'string' || text.length === 0),
      ).toEqual([]);
    });

    it('up to a cursor stays the same while the run goes on, and names what it does not know', async () => {
      const before = await exported('records.csv', 5);
      expect(before.toString().split('\r\n')).toHaveLength(7);
      expect((await get(`${world().runId}/export/nothing.csv`)).status).toBe(404);
      expect((await get(`${world().runId}/export/manifest?format=xlsx`)).status).toBe(400);
      const stranger = await world().server.createKey({ name: 's', role: 'viewer', projects: ['other'] });
      expect((await get(`${world().runId}/export/manifest`, stranger)).status).toBe(404);
      expect((await get(`${world().runId}/export/run.json`, stranger)).status).toBe(404);
    });
  });
}

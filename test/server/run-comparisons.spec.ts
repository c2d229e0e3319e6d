/** @file Comparing many runs in groups, and testing two groups as `espalier compare` does. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createClient } from '@espalier/client';
import { type RunSpec, runLayout } from '@espalier/contracts';
import { computeLedger } from '@espalier/report/ledger';
import { removeFolder } from '@espalier/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupBySeed, testGroups } from '../../apps/cli/src/local/compare-runs.js';
import { ArtifactService } from '../../apps/server/src/core/artifacts/artifact.service.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { call } from '../support/ask.js';
import { metricsEvent } from '../support/events.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

describe('a comparison in groups', () => {
  let server: TestServer;
  const folder = mkdtempSync(join(tmpdir(), 'espalier-compare-'));
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => {
    await server.close();
    removeFolder(folder);
  });

  const create = async (spec: Record<string, unknown>): Promise<EventWriter> => {
    const writer = await createWriter(server);
    await server.app
      .get(DataSource)
      .getRepository(Run)
      .update(writer.runId, { spec: spec as never });
    return writer;
  };
  const specOf = (rate: number, seed: number) => ({
    steps: 30,
    seed,
    algorithm: { use: rate > 0.2 ? 'ppo' : 'grpo' },
    optimizer: { rate },
  });
  const valueAt = (rate: number, seed: number, step: number): number =>
    Math.sin(step / 5 + seed) * rate + step / 30;
  const storeValidation = async (writer: EventWriter, step: number, letters: string): Promise<void> => {
    const text = toValidation(letters);
    const sha = createHash('sha256').update(text).digest('hex');
    await server.app
      .get(ArtifactService, { strict: false })
      .store(
        writer.runId,
        writer.attemptId,
        1,
        runLayout.validationOf(step),
        sha,
        Readable.from([Buffer.from(text)]),
      );
  };
  const toValidation = (letters: string): string =>
    JSON.stringify({
      outcomes: [...letters].map((letter, index) => ({ stateSeed: 100 + index, success: letter === '1' })),
    });

  it('is over all metrics that the runs have unless some are named, and refused where that costs too much', async () => {
    const writer = await create(specOf(0.1, 1));
    const names = Array.from({ length: 1500 }, (_, index) => `custom/m${index}`);
    const all = [...names, 'validation/success_rate'];
    await writer.write([metricsEvent(0, Object.fromEntries(all.map((name) => [name, 1])))]);
    const client = createClient({ url: server.url, key: server.adminKey });
    const { metrics } = await client.runs.compare([writer.runId]);
    expect(metrics.map(({ name }) => name)).toEqual(all.toSorted());
    await client.dispose();
    const others = await Promise.all(Array.from({ length: 35 }, (_, seed) => create(specOf(0.1, seed))));
    const query = [writer, ...others].map(({ runId }) => `id=${runId}`).join('&');
    const path = `/api/v1/runs/compare?${query}`;
    const { status, body } = await call(server.url, server.adminKey, 'GET', path);
    expect([status, body]).toMatchObject([400, { code: 'graphql.too_costly' }]);
    expect(body.message).toContain('what it reads costs 54036');
  });

  it('gives the ledger that the command line gives for the same rows, over GraphQL and REST', async () => {
    const rows: Record<string, number>[] = [
      { 'validation/success_rate': 0.25, 'time/validate_seconds': 30 },
      ...[1, 2].map((step) => ({
        'time/step_seconds': 60,
        'time/collect_seconds': 40,
        'time/collect_cpu_seconds': 70,
        'time/update_seconds': 20,
        'energy/collect_joules': 2400,
        'energy/measured_joules': 1200,
        'time/price': 0.05,
        'total/sampled_tokens': 100_000 * step,
        'total/trained_tokens': 150_000 * step,
        'total/environment_steps': 500 * step,
        'total/episodes': 64 * step,
        'update/policy_steps': 4 * step,
      })),
      { 'validation/success_rate': 0.5, 'time/validate_seconds': 30 },
    ];
    const [writer, other] = [await create(specOf(0.1, 1)), await create(specOf(0.1, 2))];
    await writer.write(rows.map((values, step) => metricsEvent(step, values)));
    // no step is complete
    await other.write([metricsEvent(0, { 'validation/success_rate': 0.25 })]);
    const client = createClient({ url: server.url, key: server.adminKey });
    const ids = [writer.runId, other.runId];
    const { ledgers, metrics } = await client.runs.compare(ids, { metrics: [], ledger: true });
    expect(metrics).toEqual([]);
    expect(ledgers).toEqual([
      expect.objectContaining({
        runId: writer.runId,
        steps: 2,
        wallSeconds: 180,
        processorSeconds: 140,
        energyJoules: 4800,
        energySource: 'partly measured',
        sampledTokens: 200_000,
        optimizerSteps: 8,
        successPoints: 25,
        perMillionTokens: 50,
        perThousandInteractions: 25,
        perDeviceHour: 500,
        price: 0.1,
        perPrice: 250,
      }),
    ]);
    const { wallSeconds, processorSeconds, energyJoules, phases, runId, ...rest } = ledgers?.[0] ?? {};
    const local = computeLedger((name) => rows.flatMap((values) => values[name] ?? []));
    expect(local).toMatchObject(rest);
    expect(Object.fromEntries(phases?.map(({ phase, wallSeconds: of }) => [phase, of]) ?? [])).toEqual(
      local?.wallSeconds,
    );
    expect([wallSeconds, processorSeconds, energyJoules, runId]).not.toContain(undefined);
    const answer = await call(
      server.url,
      server.adminKey,
      'GET',
      `/api/v1/runs/compare?id=${ids.join('&id=')}&metric=time/step_seconds&ledger=true`,
    );
    expect(answer.body['ledgers']).toEqual(ledgers);
    expect((await client.runs.compare(ids, { metrics: [] })).ledgers).toBeNull();
    await client.dispose();
  });

  it('gives the mean, interval and extremes that a calculation over all rows gives', async () => {
    const rates = [0.1, 0.2, 0.3];
    const seeds = [1, 2, 3, 4];
    const made: { id: string; rate: number; seed: number }[] = [];
    for (const rate of rates)
      for (const seed of seeds) {
        const writer = await create(specOf(rate, seed));
        const rows = Array.from({ length: 30 }, (_, step) =>
          metricsEvent(step + 1, {
            a: valueAt(rate, seed, step + 1),
            'total/sampled_tokens': (step + 1) * 100,
          }),
        );
        await writer.write(rows);
        made.push({ id: writer.runId, rate, seed });
      }
    const client = createClient({ url: server.url, key: server.adminKey });
    const ids = made.map(({ id }) => id);
    const options = { metrics: ['a'], by: ['optimizer.rate'], points: 100, last: 5 };
    const found = await client.runs.compare(ids, options);
    expect(found.groups.map(({ values, seeds: own }) => [values, own])).toEqual(
      rates.map((rate) => [[rate], seeds]),
    );
    const [metric] = found.metrics;
    expect(metric?.x).toEqual(Array.from({ length: 30 }, (_, step) => step + 1));
    for (const [group, rate] of rates.entries()) {
      const at20 = seeds.map((seed) => valueAt(rate, seed, 20));
      const mean = at20.reduce((a, b) => a + b) / 4;
      const std = Math.sqrt(at20.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3);
      const curve = metric?.groups[group]?.curve;
      expect(curve?.counts[19]).toBe(4);
      expect(curve?.mean[19]).toBeCloseTo(mean, 10);
      expect(curve?.high[19]).toBeCloseTo(mean + (3.182 * std) / 2, 10);
      expect([curve?.min[19], curve?.max[19]]).toEqual([Math.min(...at20), Math.max(...at20)]);
      const last = seeds.map((seed) => valueAt(rate, seed, 30));
      expect(metric?.groups[group]?.last).toMatchObject({ min: Math.min(...last), max: Math.max(...last) });
    }
    // a range of steps is the range of everything
    const part = await client.runs.compare(ids, {
      ...options,
      by: ['algorithm.use'],
      fromStep: 5,
      toStep: 9,
    });
    expect(part.groups.map(({ values }) => values)).toEqual([['grpo'], ['ppo']]);
    expect(part.metrics[0]?.x).toEqual([5, 6, 7, 8, 9]);
    expect(part.metrics[0]?.runs[0]).toMatchObject({ count: 5, lastStep: 9, last: valueAt(0.1, 1, 9) });
    const tokens = await client.runs.compare(ids, { ...options, axis: 'tokens', points: 30 });
    expect(tokens.metrics[0]?.x.slice(0, 2)).toEqual([100, 200]);
    expect(tokens.metrics[0]?.groups[0]?.curve?.mean[19]).toBeCloseTo(
      seeds.reduce((sum, seed) => sum + valueAt(0.1, seed, 20), 0) / 4,
      10,
    );
    const seconds = await client.runs.compare(ids, { ...options, axis: 'seconds', points: 3 });
    expect(seconds.metrics[0]?.x).toEqual([0, 0.0145, 0.029]);
    await client.dispose();
  });

  it('tests two groups with the numbers of the command line, on the same files', async () => {
    const letters = [
      ['grpo', 1, '0000000000', '1111110000'],
      ['grpo', 2, '0000000000', '1111100100'],
      ['ppo', 1, '0000000000', '0100000001'],
      ['ppo', 2, '0000000000', '0000000000'],
    ] as const;
    const placed = { environment: { use: 'bandit' }, validation: {} };
    const made: { id: string; use: string }[] = [];
    const local: Parameters<typeof groupBySeed>[0][number][] = [];
    for (const [use, seed, first, second] of letters) {
      const spec = { seed, algorithm: { use }, ...placed };
      const writer = await create(spec);
      const own = join(folder, `${use}-${seed}`);
      mkdirSync(join(own, runLayout.validation), { recursive: true });
      for (const [step, outcome] of [
        [0, first],
        [4, second],
      ] as const) {
        await storeValidation(writer, step, outcome);
        writeFileSync(join(own, runLayout.validationOf(step)), toValidation(outcome));
      }
      made.push({ id: writer.runId, use });
      const named = { name: use, ...spec } as unknown as RunSpec;
      writeFileSync(join(own, runLayout.spec), JSON.stringify({ ...named, model: {}, update: {} }));
      local.push({
        folder: own,
        spec: named,
        step: 4,
        state: 'finished',
        success: undefined,
        validation: undefined,
      });
    }
    const [expected] = testGroups(groupBySeed(local)).tests;
    const [ours, theirs] = ['grpo', 'ppo'].map((use) =>
      made.flatMap((one) => (one.use === use ? [one.id] : [])),
    );
    const client = createClient({ url: server.url, key: server.adminKey });
    const found = await client.runs.testGroups(ours ?? [], theirs ?? []);
    expect(found.reason).toBeNull();
    const { difference, low, high, p, adjusted, states, step, method } = expected ?? {};
    expect(found.tests).toEqual([{ difference, low, high, p, adjusted, states, step, method, tag: null }]);
    // by hand: five states won by both runs and two by one of them, against two by one
    expect([difference, step, states]).toEqual([(5 + 1 - 1) / 10, 4, 10]);
    const query = [...(ours ?? []).map((id) => `id=${id}`), ...(theirs ?? []).map((id) => `against=${id}`)];
    const rest = await call(
      server.url,
      server.adminKey,
      'GET',
      `/api/v1/runs/compare/test?${query.join('&')}`,
    );
    expect(rest.body).toEqual(found);
    // what is absent has a reason
    const bare = await create({ seed: 1 });
    expect(await client.runs.testGroups(ours ?? [], [bare.runId])).toEqual({
      tests: [],
      reason: '1 of 3 runs stored no validation',
    });
    await storeValidation(bare, 8, '11');
    expect(await client.runs.testGroups(ours ?? [], [bare.runId])).toEqual({
      tests: [],
      reason: 'the runs have no validation of the same trained step',
    });
    const elsewhere = await create({ seed: 1, ...placed, environment: { use: 'frozen-lake' } });
    await storeValidation(elsewhere, 4, '1111111111');
    expect(await client.runs.testGroups(ours ?? [], [elsewhere.runId])).toEqual({
      tests: [],
      reason: 'at step 4: no common states: the environments differ (bandit and frozen-lake)',
    });
    await expect(client.runs.testGroups(ours ?? [], ours ?? [])).rejects.toThrow(/is in both/);
    await client.dispose();
  });

  it('refuses a reversed range, and a validation that is none', async () => {
    const writer = await create({ seed: 1 });
    const other = await create({ seed: 2 });
    await writer.write([metricsEvent(1, { a: 1 })]);
    const range = await call(
      server.url,
      server.adminKey,
      'GET',
      `/api/v1/runs/compare?id=${writer.runId}&fromStep=5&toStep=2`,
    );
    expect([range.status, range.body['message']]).toEqual([400, expect.stringContaining('reversed')]);
    for (const [one, content] of [
      [writer, '{"outcomes":[{"stateSeed":"x"}]}'],
      [other, toValidation('11')],
    ] as const) {
      const sha = createHash('sha256').update(content).digest('hex');
      await server.app
        .get(ArtifactService, { strict: false })
        .store(
          one.runId,
          one.attemptId,
          1,
          runLayout.validationOf(3),
          sha,
          Readable.from([Buffer.from(content)]),
        );
    }
    const { status, body } = await call(
      server.url,
      server.adminKey,
      'GET',
      `/api/v1/runs/compare/test?id=${writer.runId}&against=${other.runId}`,
    );
    expect([status, body['code']]).toEqual([400, 'artifact.corrupt']);
  });
});

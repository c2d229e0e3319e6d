/** @file Tokens of a trajectory over GraphQL and REST, through the client, page by page. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Trajectory } from '@espalier/contracts';
import type { UpdateRecord } from '@espalier/contracts/update-record';
import { createClient } from '@espalier/client';
import { encodeTrajectory } from '@espalier/recorder';
import { expect, it } from 'vitest';
import { ArtifactService } from '../../apps/server/src/core/artifacts/artifact.service.js';
import { describeOnEach } from '../support/each-database.js';
import { trajectoryEvent } from '../support/events.js';
import { sha256Of } from '../support/held-attempt.js';
import { wholeTrajectory } from '../support/whole-trajectory.js';
import { createWriter } from '../support/write-events.js';

const size = 400_000;
const sampled = size / 2;
const column = (of: (n: number) => number) => Float32Array.from({ length: sampled }, (_, n) => of(n));

/** Half a prompt, half a reply; every fourth loss token clipped. */
const long = {
  ...wholeTrajectory('train/7/0/0'),
  tokens: Int32Array.from({ length: size }, (_, t) => t % 1000),
  logprobs: Float32Array.from({ length: size }, (_, t) => -(t % 7)),
  entropies: new Float32Array(size).fill(0.5),
  spans: [
    { kind: 'template', start: 0, end: sampled, turn: 0 },
    { kind: 'think', start: sampled, end: size, turn: 0 },
  ],
} as Trajectory;
const update: UpdateRecord = {
  outcome: 'trained',
  lossTokens: sampled,
  clippedTokens: sampled / 4,
  share: 0.25,
  tokens: {
    ranges: Int32Array.of(sampled, size),
    advantages: column((n) => (n === 123_456 ? -9 : 0.5)),
    trainerLogprobs: column((n) => -(n % 5)),
    ratios: column(() => 1.25),
    losses: column(() => -0.5),
    gradientWeights: column(() => 1e-6),
    clipped: { high: Int32Array.from({ length: sampled / 4 }, (_, n) => 4 * n) },
  },
};

describeOnEach('tokens of a trajectory', (server) => {
  it('of 400,000 tokens come page by page, with what the update did to each', async () => {
    const writer = await createWriter(server());
    const summary = {
      outcome: 'trained' as const,
      lossTokens: sampled,
      clippedTokens: sampled / 4,
      updateShare: 0.25,
    };
    await writer.write([trajectoryEvent(7, 0, summary), trajectoryEvent(7, 1)]);
    const { url, adminKey, app } = server();
    const file = gzipSync(`${encodeTrajectory(long, { kept: true, update })}\n`, { level: 1 });
    await app
      .get(ArtifactService, { strict: false })
      .store(
        writer.runId,
        writer.attemptId,
        1,
        'trajectories/step-000007.jsonl.gz',
        sha256Of(file),
        Readable.from([file]),
      );
    const client = createClient({ url, key: adminKey });
    const { runId } = writer;
    const opened = await client.trajectories.open(runId, 'train/7/0/0', 1000);
    expect(opened).toMatchObject({
      row: { outcome: 'trained', updateShare: 0.25, clippedTokens: sampled / 4 },
      update: { outcome: 'trained', share: 0.25, hasTokens: true, firstPassSteps: null },
      tokenSummary: { total: size, bucketTokens: 400 },
    });
    expect(opened).not.toHaveProperty('tokens');
    const { series, inLoss, clipped } = opened.tokenSummary;
    expect(inLoss.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(sampled);
    expect(clipped?.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(sampled / 4);
    expect(series.find(({ name }) => name === 'advantages')?.extremes[0]).toBe(sampled + 123_456);
    const page = await client.trajectories.tokens(runId, 'train/7/0/0', { from: sampled - 1, count: 4 });
    expect(page).toMatchObject({
      from: sampled - 1,
      total: size,
      mask: [0, 2, 2, 2],
      clipped: [null, 2, 0, 0],
      advantages: [null, 0.5, 0.5, 0.5],
      trainerLogprobs: [null, 0, -1, -2],
      returns: null,
    });
    const get = async (query: string) => {
      const address = `${url}/api/v1/runs/${runId}/trajectory-tokens/train/7/0/0${query}`;
      const response = await fetch(address, { headers: { authorization: `Bearer ${adminKey}` } });
      return { status: response.status, body: (await response.json()) as object };
    };
    expect((await get(`?from=${sampled - 1}&count=4`)).body).toEqual(page);
    expect(await get('?count=20001')).toMatchObject({ status: 400, body: { code: 'server.invalid_input' } });
    expect(await get(`?from=${size + 1}`)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/from is 400001, and it has 400000/) },
    });
    await expect(client.trajectories.tokens(runId, 'train/7/0/1')).rejects.toThrow(
      /read trajectory "train\/7\/0\/1" .*: it is not in trajectories\/step-000007\.jsonl\.gz/,
    );
    await client.dispose();
  });
});

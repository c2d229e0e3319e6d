/** @file How many steps one job scores again: thousands by rewards, hundreds by a checkpoint. */
import { type Client, createClient } from '@espalier/client';
import { runLayout } from '@espalier/contracts';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import { Artifact } from '../../apps/server/src/core/database/entities/artifact.js';
import { insertCheckpoint } from '../support/insert-checkpoint.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const stored = 450;

describe('scoring a long run again', () => {
  let server: TestServer;
  let client: Client;
  let runId: string;
  beforeAll(async () => {
    server = await startTestServer();
    client = createClient({ url: server.url, key: server.adminKey });
    const spec = {
      environment: { use: 'bandit' },
      algorithm: { use: 'grpo' },
      model: { use: 'seedling' },
      steps: 500,
    };
    runId = (await client.runs.create({ spec })).id;
    const source = server.app.get(DataSource);
    await insertCheckpoint(source, runId, 1);
    const rows = Array.from({ length: stored }, (_, step) => ({
      id: createId('artifact'),
      runId,
      attempt: 1,
      kind: 'trajectories' as const,
      path: runLayout.trajectoriesOf(step),
      key: `runs/${runId}/trajectories/${step}`,
      step,
      bytes: 1,
      sha256: 'a'.repeat(64),
      createdAt: Date.now(),
    }));
    for (let at = 0; at < stored; at += 50)
      await source.getRepository(Artifact).insert(rows.slice(at, at + 50));
  });
  afterAll(async () => {
    await client.dispose();
    await server.close();
  });

  it('takes all of them by rewards, and names steps to choose where a checkpoint has a row for each', async () => {
    const evaluate = (rescore: object) => client.runs.evaluate(runId, { rescore });
    await evaluate({ rewards: [{ use: 'length' }] });
    const [first] = await client.runs.evaluations(runId);
    expect(first?.rescoredSteps).toHaveLength(stored);
    await expect(evaluate({ logprobs: true })).rejects.toThrow(
      'trajectories of 450 steps, of which the result has a row each with `logprobs`; name at most 200 `steps`, such as 0, 3, 6, 9, …',
    );
    const steps = Array.from({ length: 150 }, (_, at) => 3 * at);
    await evaluate({ logprobs: true, steps });
  });
});

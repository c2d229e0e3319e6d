/** @file Two projects; everything in `theirs` carries a canary, so that a leak shows wherever it comes out. */
import { DataSource } from 'typeorm';
import { Alert } from '../../apps/server/src/core/database/entities/alert.js';
import { ApiKey } from '../../apps/server/src/core/database/entities/api-key.js';
import { Artifact } from '../../apps/server/src/core/database/entities/artifact.js';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import { EventIngest } from '../../apps/server/src/core/scheduling/attempts/event-ingest.service.js';
import { Attempt } from '../../apps/server/src/core/database/entities/attempt.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { LaunchedWorker } from '../../apps/server/src/core/database/entities/launched-worker.js';
import { newAttempt } from '../../apps/server/src/core/scheduling/new-job.js';
import { AlertVerdict } from '../../apps/server/src/core/database/entities/alert-verdict.js';
import { Rating, RatingItem, RatingSet } from '../../apps/server/src/core/database/entities/rating.js';
import { RunComment } from '../../apps/server/src/core/database/entities/run-comment.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { createJob } from '../support/create-job.js';
import type { TestServer } from '../support/start-server.js';

export const canary = 'canary-5b21e7';

/** Ids of what lies in `theirs`. */
export interface World {
  readonly run: string;
  readonly job: string;
  readonly alert: string;
  readonly key: string;
  readonly worker: string;
  readonly launched: string;
  readonly trajectory: string;
  readonly comment: string;
  readonly ratingSet: string;
  readonly file: string;
}

/** Fills a server. */
export async function createWorld(server: TestServer): Promise<World> {
  const source = server.app.get(DataSource);
  await createJob(server, { project: 'ours', createdBy: 'us' });
  const { id: job, runId: run } = await createJob(server, { project: 'theirs', createdBy: canary });
  const marked = { name: canary, note: canary, message: canary, tags: [canary], state: 'running' as const };
  await source.getRepository(Run).update({ id: run }, { ...marked, spec: { model: canary } as never });
  await source.getRepository(Job).update({ id: job }, { state: 'running', token: 1, message: canary });
  const attempt = newAttempt({
    id: createId('attempt'),
    jobId: job,
    runId: run,
    number: 1,
    state: 'running',
    message: canary,
    workerId: 'worker-theirs',
    workerName: canary,
    devices: [canary],
    assignedAt: Date.now(),
    host: canary,
  });
  await source.getRepository(Attempt).insert(attempt as never);
  const alert = createId('alert');
  await source.getRepository(Alert).insert({
    id: alert,
    runId: run,
    project: 'theirs',
    severity: 'warning',
    code: canary,
    message: canary,
    step: 0,
    time: Date.now(),
    acknowledgedAt: null,
    acknowledgedBy: null,
    rules: null,
    assigneeId: null,
    assignee: null,
  });
  const comment = createId('comment');
  const written = {
    createdAt: Date.now(),
    createdBy: canary,
    text: canary,
    step: null,
    idempotencyKey: null,
  };
  await source.getRepository(RunComment).insert({ id: comment, runId: run, ...written });
  const file = `checkpoints/${canary}`;
  await source.getRepository(Artifact).insert({
    id: createId('artifact'),
    runId: run,
    attempt: 1,
    kind: 'log',
    path: file,
    key: 'none',
    step: 0,
    bytes: 1,
    sha256: 'a'.repeat(64),
    createdAt: Date.now(),
  } as never);
  await ingest(server, attempt.id);
  const key = (await source.getRepository(ApiKey).findOneByOrFail({ name: 'theirs' })).id;
  // seen by all, but not for whose jobs it was started
  const launched = 'elsewhere-00000001';
  const times = { createdAt: 1, changedAt: 1, connectedAt: null, endedAt: 1 };
  await source.getRepository(LaunchedWorker).insert({
    name: launched,
    launcher: 'elsewhere',
    project: `theirs-${canary}`,
    state: 'ended',
    reason: '',
    handle: null,
    keyId: canary,
    ...times,
  });
  const ratingSet = createId('rating');
  const trajectoryId = `train/0/0/${canary}`;
  await source.getRepository(RatingSet).insert({
    id: ratingSet,
    project: 'theirs',
    name: canary,
    kind: 'rubric',
    instructions: canary,
    criteria: [{ name: canary, question: canary, scale: 'yes-no', low: '', high: '' }],
    sources: [],
    seed: 0,
    size: 1,
    createdBy: canary,
    keyId: key,
    createdAt: Date.now(),
    closedAt: Date.now(),
    closedBy: canary,
  });
  await source.getRepository(RatingItem).insert({
    setId: ratingSet,
    position: 0,
    source: 0,
    runId: run,
    trajectoryId,
    otherRunId: null,
    otherTrajectoryId: null,
  });
  await source.getRepository(AlertVerdict).insert({
    alertId: alert,
    keyId: key,
    runId: run,
    project: 'theirs',
    code: canary,
    rules: [canary],
    judgement: 'unclear',
    reason: canary,
    createdBy: canary,
    time: Date.now(),
  });
  const worker = 'worker-theirs';
  return {
    run,
    job,
    alert,
    key,
    worker,
    launched,
    trajectory: `train/0/0/${canary}`,
    comment,
    ratingSet,
    file,
  };
}

async function ingest({ app }: TestServer, attemptId: string): Promise<void> {
  const events = app.get(EventIngest);
  const at = { time: Date.now(), step: 0 };
  const row = {
    id: `train/0/0/${canary}`,
    environment: canary,
    split: 'train',
    group: 0,
    index: 0,
    stateSeed: 1,
    reward: 1,
    environmentReward: 1,
    success: true,
    stopReason: 'success',
    labels: [],
    turns: 1,
    tokens: 3,
    sampledTokens: 1,
    kept: true,
    error: null,
    text: canary,
  };
  const trainer = [
    { kind: 'run-started', ...at, steps: 3, attempt: 1 },
    { kind: 'metrics', ...at, values: { [`policy/${canary}`]: 1 } },
    { kind: 'trajectory', ...at, row },
    { kind: 'warning', ...at, code: 'a.b', message: canary },
  ];
  const numbered = (list: object[]) => list.map((event, i) => ({ sequence: i + 1, event })) as never;
  await events.ingest({ attemptId, token: 1, stream: 'trainer', events: numbered(trainer) });
  const logs = [{ kind: 'log', time: at.time, text: canary }];
  await events.ingest({ attemptId, token: 1, stream: 'log', events: numbered(logs) });
}

/** All of `theirs` that a stranger might change, as text. */
export async function snapshot({ app }: TestServer, { run, job, alert, key }: World): Promise<string> {
  const source = app.get(DataSource);
  const { lastUsedAt: _, ...shownKey } = await source.getRepository(ApiKey).findOneByOrFail({ id: key });
  const rows = [
    await source.getRepository(Run).findOneByOrFail({ id: run }),
    await source.getRepository(Job).findOneByOrFail({ id: job }),
    await source.getRepository(Alert).findOneByOrFail({ id: alert }),
    await source.getRepository(RunComment).findBy({ runId: run }),
    await source.getRepository(RatingSet).find(),
    await source.getRepository(Rating).find(),
    await source.getRepository(AlertVerdict).find(),
    await source.getRepository(Run).countBy({ project: 'theirs' }),
  ];
  return JSON.stringify([...rows, shownKey]);
}

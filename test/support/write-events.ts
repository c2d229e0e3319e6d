/** @file Puts a run with a held attempt into a server, and writes events as its worker would. */
import type { EventsAnswer, EventsMessage } from '@espalier/protocol';
import { DataSource } from 'typeorm';
import { EventIngest } from '../../apps/server/src/core/scheduling/attempts/event-ingest.service.js';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import { Attempt } from '../../apps/server/src/core/database/entities/attempt.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { newJob } from '../../apps/server/src/core/scheduling/new-job.js';
import { newRun } from '../../apps/server/src/core/runs/create/new-run.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import type { TestServer } from './start-server.js';

type Event = EventsMessage['events'][number]['event'];
type Stream = EventsMessage['stream'];

export interface EventWriter {
  readonly runId: string;
  readonly attemptId: string;
  /** Sends events that follow on those before. */
  write(events: readonly Event[], stream?: Stream): Promise<EventsAnswer>;
  /** Sends a raw message. */
  send(message: Omit<EventsMessage, 'attemptId' | 'token'> & { token?: number }): Promise<EventsAnswer>;
  /** Gives the job to a new attempt, which then writes. */
  nextAttempt(): Promise<EventWriter>;
  /** Goes on after a restart of the server. */
  on(server: Pick<TestServer, 'app'>): EventWriter;
}

/** Creates a run in state `running` with its job and first attempt. */
export async function createWriter(
  { app }: Pick<TestServer, 'app'>,
  project = 'default',
): Promise<EventWriter> {
  const source = app.get(DataSource);
  const now = Date.now();
  const given = { project, needs: { kind: 'cpu' as const, count: 1, memoryMb: 0, labels: [] } };
  const runId = createId('run');
  const run = newRun({
    ...given,
    id: runId,
    name: 'test',
    spec: { steps: 3 },
    specHash: 'h',
    createdAt: now,
    createdBy: 'admin',
    state: 'running' as const,
  });
  await source.getRepository(Run).insert(run as never);
  const job = newJob({
    ...given,
    id: createId('job'),
    runId,
    createdAt: now,
    createdBy: 'admin',
    state: 'running',
  });
  await source.getRepository(Job).insert(job as never);
  const begin = async (number: number): Promise<EventWriter> => {
    const attemptId = createId('attempt');
    await source.getRepository(Attempt).insert({
      id: attemptId,
      jobId: job.id,
      runId,
      number,
      state: 'running',
      workerId: 'w',
      workerName: 'w',
      host: null,
      devices: [],
      pid: null,
      startStep: null,
      step: -1,
      assignedAt: now,
      startedAt: now,
      endedAt: null,
      exitCode: null,
      signal: null,
      verdict: null,
      message: '',
      ackedTrainer: 0,
      ackedLog: 0,
      ackedWorker: 0,
      versions: null,
      plugins: null,
      gitRevision: null,
    } as never);
    await source.getRepository(Job).update(job.id, { token: number, attemptId });
    const written: Record<Stream, number> = { trainer: 0, log: 0, worker: 0 };
    const writerOn = (server: TestServer['app']): EventWriter => {
      const ingest = server.get(EventIngest, { strict: false });
      return {
        runId,
        attemptId,
        write(events, stream = 'trainer') {
          const first = written[stream] + 1;
          written[stream] += events.length;
          const numbered = events.map((event, index) => ({ sequence: first + index, event }));
          return ingest.ingest({ attemptId, token: number, stream, events: numbered });
        },
        send: ({ token = number, ...message }) => ingest.ingest({ attemptId, token, ...message }),
        async nextAttempt() {
          await source.getRepository(Attempt).update(attemptId, { state: 'lost' });
          return begin(number + 1);
        },
        on: (other) => writerOn(other.app),
      };
    };
    return writerOn(app);
  };
  return begin(1);
}

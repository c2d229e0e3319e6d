/** @file What the cases act on: keys of all roles, a run that must stay as it is, and one whose events keep coming. */
import type { AttemptEvent, Assignment } from '@espalier/protocol';
import { call, type Told } from '../support/ask.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { sha256Of } from '../support/held-attempt.js';
import { SimulatedWorker } from '../support/simulated-worker.js';
import type { ServerProcess } from './server-process.js';

export type Role = 'none' | 'wrong' | 'viewer' | 'operator' | 'admin' | 'worker';

export interface World {
  readonly server: ServerProcess;
  readonly keys: Readonly<Record<Role, string | undefined>>;
  /** finished, with metrics, trajectories, a warning and a file; no case changes it */
  readonly canary: string;
  /** a run that cases may change */
  readonly scratch: string;
  /** an attempt that a worker of the suite holds */
  readonly held: Pick<Assignment, 'runId' | 'attemptId' | 'token'>;
  /** Sends one more event of the held attempt; it must be acknowledged. */
  beat(): Promise<void>;
  /** Everything that can be read of the canary, as text. */
  readCanary(): Promise<string>;
  /** Steps of the held run's metrics that are stored, and how many were acknowledged. */
  readHeld(): Promise<{ stored: number[]; acknowledged: number }>;
  close(): void;
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Fails with the answer where it is none that was hoped for. */
async function expectOk(told: Promise<Told>, what: string): Promise<Told['body']> {
  const { status, body } = await told;
  if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
  return body;
}

export const importedSpec = {
  name: 'imported',
  steps: 3,
  seed: 1,
  environment: { use: 'bandit' },
  algorithm: { use: 'grpo' },
  model: { use: 'seedling' },
};

/** Imports a run; `fingerprint` makes it another one. */
export async function importRun(
  { url, adminKey }: Pick<ServerProcess, 'url' | 'adminKey'>,
  fingerprint: string,
  events: readonly unknown[],
): Promise<string> {
  const post = (path: string, body: unknown) =>
    expectOk(call(url, adminKey, 'POST', `/api/v1/runs/${path}`, body), path);
  const sent = { spec: importedSpec, fingerprint: sha256Of(fingerprint) };
  const runId = String((await post('import', sent))['runId']);
  const numbered = events.map((event, index) => ({ sequence: index + 1, event }));
  await post(`${runId}/import/events`, { attempt: 1, events: numbered });
  const files = { count: 0, bytes: 0, sha256: sha256Of('') };
  await post(`${runId}/import/end`, { state: 'finished', endedAt: 2e12, events: [events.length], files });
  return runId;
}

export const historyEvents = [
  { kind: 'run-started', time: 1.8e12, step: -1, steps: 3, attempt: 1 },
  ...times(300, (step) =>
    metricsEvent(step, { 'policy/loss': step / 7, 'reward/mean': step % 5 === 0 ? null : step }),
  ),
  ...times(40, (nth) => {
    const step = Math.floor(nth / 4);
    return trajectoryEvent(step, nth % 4, { text: `left at ${step}` });
  }),
  { kind: 'warning', time: 1.8e12, step: 1, code: 'trainer.slow', message: 'slower than before' },
];

const bandit = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';

export async function createWorld(server: ServerProcess): Promise<World> {
  const { url, adminKey, workerKey } = server;
  const createKey = async (role: Role): Promise<string> => {
    const request = { name: `the ${role}`, role, projects: ['default'] };
    return String((await expectOk(call(url, adminKey, 'POST', '/api/v1/keys', request), 'key'))['secret']);
  };
  const keys = {
    none: undefined,
    wrong: 'no-key-of-this-server',
    admin: adminKey,
    worker: workerKey,
    viewer: await createKey('viewer'),
    operator: await createKey('operator'),
  };
  const canary = await importRun(server, 'canary', historyEvents);
  const scratch = await importRun(server, 'scratch', historyEvents.slice(0, 50));
  const created = await expectOk(call(url, adminKey, 'POST', '/api/v1/runs', { source: bandit }), 'run');
  const worker = new SimulatedWorker(url, workerKey, { name: 'steady', heartbeatMs: 500 });
  await worker.connect();
  const held = await worker.assigned(1);
  await worker.begin(held);
  let sequence = 0;
  const beat = async (): Promise<void> => {
    const event: AttemptEvent = { kind: 'metrics', time: Date.now(), step: sequence, values: { sequence } };
    const { attemptId, token } = held;
    const message = { attemptId, token, stream: 'trainer', events: [{ sequence: sequence + 1, event }] };
    const answer = await worker.ask<{ acked: number }>('events', message);
    if (!answer.ok || answer.value.acked !== sequence + 1)
      throw new Error(`event ${sequence + 1} was not acknowledged: ${JSON.stringify(answer)}`);
    sequence += 1;
  };
  const get = async (path: string): Promise<unknown> =>
    expectOk(call(url, adminKey, 'GET', `/api/v1/runs/${path}`), path);
  return {
    server,
    keys,
    canary,
    scratch,
    beat,
    held: { runId: String(created['id']), attemptId: held.attemptId, token: held.token },
    async readCanary() {
      const series = 'name=policy/loss&name=reward/mean&points=20000';
      const paths = ['', `/metrics?${series}`, '/trajectories?first=500', '/events?first=1000', '/artifacts'];
      return JSON.stringify(await Promise.all(paths.map((path) => get(`${canary}${path}`))));
    },
    async readHeld() {
      const path = `${String(created['id'])}/metrics?name=sequence&points=20000`;
      return { stored: stepsIn(await get(path)), acknowledged: sequence };
    },
    close: () => worker.close(),
  };
}

/** Steps of the first series, wherever in the answer it is. */
function stepsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('steps' in value && Array.isArray(value.steps)) return value.steps as number[];
  return (
    Object.values(value)
      .map(stepsIn)
      .find((steps) => steps.length > 0) ?? []
  );
}

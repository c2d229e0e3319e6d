/** @file Shared by worker tests: a sprout, the result of training it without a server, a server, workers. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger, Worker } from '@espalier/worker';
import { startWorker } from '@espalier/worker';
import { removeFolder, waitFor } from '@espalier/testing';
import { makeSprout, sproutSpec, trainPlain } from './sprout.js';
import { WorkerServer } from './worker-server.js';

const quiet: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const timing = {
  pollMs: 30,
  reconnectMinMs: 30,
  reconnectMaxMs: 200,
  ackTimeoutMs: 5000,
  transferRetryMs: 50,
};
const steps = 24;

/** A folder with everything; `close` stops workers and server and removes it. */
export class WorkerBench {
  readonly root = mkdtempSync(join(tmpdir(), 'worker-bench-'));
  readonly server = new WorkerServer();
  spec: Record<string, unknown> = {};
  /** sha256 of the weights after the last step of training without a server */
  plainHash = '';
  #workers: Worker[] = [];

  async open(): Promise<this> {
    this.spec = sproutSpec(await makeSprout(this.root), { steps });
    this.plainHash = await trainPlain(this.root, this.spec);
    await this.server.start();
    return this;
  }

  optionsOf(name: string, more: object = {}): Record<string, unknown> {
    const { url, key } = this.server;
    const options = {
      server: url,
      key,
      name,
      data: join(this.root, name),
      gpus: 'off',
      minFreeMb: 0,
      timing,
      modelRoots: [this.root],
    };
    return { ...options, ...more };
  }

  /** Starts a worker in this process and waits until the server has welcomed it. */
  async worker(name: string, more: object = {}): Promise<Worker> {
    const worker = await startWorker(this.optionsOf(name, more) as never, { log: quiet });
    this.#workers.push(worker);
    await waitFor(`${name} is connected`, () => worker.isOnline());
    return worker;
  }

  exitStatus(attemptId: string) {
    return this.server.find(attemptId, 'process-ended')[0];
  }

  ended(attemptId: string): Promise<void> {
    return waitFor(`${attemptId} has ended`, () => this.exitStatus(attemptId) !== undefined, 150_000);
  }

  /** Waits until an attempt has reported a step. */
  reached(attemptId: string, step: number): Promise<void> {
    const isThere = (): boolean => this.stepsOf(attemptId).some((told) => told >= step);
    return waitFor(`${attemptId} has reached step ${step}`, isThere, 150_000);
  }

  stepsOf(attemptId: string): number[] {
    return this.server.find(attemptId, 'metrics').map(({ step }) => step);
  }

  /** First iteration of an attempt; before it may be told of a validation that a pause cut short. */
  firstIterationOf(attemptId: string): number | undefined {
    return this.server.find(attemptId, 'metrics').find(({ values }) => 'time/step_seconds' in values)?.step;
  }

  /** The last completely stored checkpoint. */
  newestStored(runId: string): { step: number; path: string } {
    const manifests = this.server.paths(runId).filter((name) => name.endsWith('/manifest.json'));
    const path = manifests.at(-1)?.replace('/manifest.json', '') ?? '';
    return { step: Number(/step-(\d+)/.exec(path)?.[1]), path };
  }

  async closeWorkers(jobs: 'drain' | 'leave' = 'drain'): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close({ jobs })));
    this.#workers = [];
  }

  async close(): Promise<void> {
    await this.closeWorkers();
    await this.server.stop();
    removeFolder(this.root);
  }
}

/** @file A server with one run, whose attempt a simulated worker holds, and the upload headers of that worker. */
import { createHash } from 'node:crypto';
import type { Assignment } from '@espalier/protocol';
import { createJob } from './create-job.js';
import { cpuSlots, SimulatedWorker } from './simulated-worker.js';
import { startTestServer, type TestServer } from './start-server.js';

export interface HeldAttempt {
  readonly server: TestServer;
  readonly worker: SimulatedWorker;
  readonly assignment: Assignment;
  /** Ends the worker, then the server. */
  close(): Promise<void>;
}

/** Starts the server and the worker, and begins the attempt, which stays with it. @param given settings of the server */
export async function startHeldAttempt(
  given: Parameters<typeof startTestServer>[0] = {},
): Promise<HeldAttempt> {
  const server = await startTestServer({ leaseSeconds: 3600, ...given });
  await createJob(server);
  const worker = new SimulatedWorker(server.url, server.workerKey, { name: 'w', devices: cpuSlots(1) });
  await worker.connect();
  const assignment = await worker.assigned(1);
  await worker.begin(assignment);
  return {
    server,
    worker,
    assignment,
    async close() {
      worker.close();
      await server.close();
    },
  };
}

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Headers of an upload. @param key where the request has no other */
export function uploadHeaders(
  { attemptId, token }: Pick<Assignment, 'attemptId' | 'token'>,
  sha256: string,
  key?: string,
): Record<string, string> {
  return {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    'content-type': 'application/octet-stream',
    'x-espalier-attempt': attemptId,
    'x-espalier-token': String(token),
    'x-espalier-sha256': sha256,
  };
}

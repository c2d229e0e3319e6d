import type { Attempt } from '../database/entities/attempt.js';

type Given = 'id' | 'jobId' | 'runId' | 'number' | 'workerId' | 'workerName' | 'devices' | 'assignedAt';

/** Fills in what every attempt begins with. */
export function newAttempt(given: Pick<Attempt, Given> & Partial<Attempt>): Attempt {
  return {
    state: 'assigned',
    host: null,
    hardware: null,
    pid: null,
    startStep: null,
    step: -1,
    startedAt: null,
    endedAt: null,
    exitCode: null,
    signal: null,
    verdict: null,
    message: '',
    gitRevision: null,
    ackedTrainer: 0,
    ackedLog: 0,
    ackedWorker: 0,
    versions: null,
    plugins: null,
    ...given,
  };
}

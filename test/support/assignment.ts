/** @file The message by which a server assigns an attempt to a worker. */
import type { Assignment } from '@espalier/protocol';

/** Makes one; what is not given is as for the first attempt of a new run, on no device. */
export function makeAssignment(given: Partial<Assignment> = {}): Assignment {
  return {
    attemptId: 'a',
    jobId: 'job',
    runId: 'run',
    number: 1,
    token: 1,
    kind: 'train',
    devices: [],
    threads: 1,
    spec: {},
    resume: null,
    fork: null,
    evaluate: null,
    ...given,
  };
}

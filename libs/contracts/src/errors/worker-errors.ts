/** @file Errors of workers and of what they send. */
import type { ErrorRow } from './error-row.js';

export const workerErrors = {
  'worker.unauthorized': { meaning: "the server rejects a worker's key", exit: 'denied', status: 400 },
  'worker.protocol_mismatch': {
    meaning: 'server and worker use different versions of the protocol',
    exit: 'failed',
    status: 400,
  },
  'worker.data_in_use': {
    meaning: 'another worker holds the data folder',
    exit: 'temporary',
    status: 400,
    retry: true,
  },
  'worker.busy': {
    meaning:
      'an assignment names devices or a run that are in use on that worker, or events arrive faster than they are stored',
    exit: 'failed',
    status: 400,
    retry: true,
  },
  'worker.no_device': {
    meaning: 'an assignment names a device that the worker does not have',
    exit: 'failed',
    status: 400,
  },
  'worker.plugins_differ': {
    meaning: 'a job started with other plugins than its worker has now; it waits for a worker that has them',
    exit: 'failed',
    status: 400,
  },
  'worker.disk_full': {
    meaning: 'a worker has no room for the results of an assignment',
    exit: 'failed',
    status: 400,
  },
  'worker.failed': {
    meaning: 'a worker could not do what the server requested, for example because its disk is full',
    exit: 'failed',
    status: 400,
  },
  'worker.corrupt_checkpoint': {
    meaning: 'the newest checkpoint is corrupt; resuming from an older one; a warning',
    exit: 'failed',
    status: 400,
    severity: 'error',
  },
  'worker.slow_pause': {
    meaning: 'a training has not stopped long after it was asked to pause; a warning',
    exit: 'failed',
    status: 400,
    severity: 'warning',
  },
  'worker.memory_exceeded': {
    meaning: 'a training process used more memory than its limit; its job is not tried again',
    exit: 'failed',
    status: 400,
    severity: 'error',
  },
  'worker.log_truncated': {
    meaning: 'a training printed more than its worker keeps; a warning',
    exit: 'failed',
    status: 400,
    severity: 'warning',
  },
  'worker.closing': {
    meaning: 'an assignment reached a worker that is shutting down',
    exit: 'failed',
    status: 400,
  },
  'worker.fenced': {
    meaning: 'a message concerns an attempt that another worker owns by now',
    exit: 'failed',
    status: 409,
  },
  'worker.unconfirmed': {
    meaning:
      'an artifact belongs to an attempt whose lease expired, and it is not yet known whether that attempt continues',
    exit: 'failed',
    status: 425,
    retry: true,
  },
  'worker.invalid_line': {
    meaning: 'a line of an outbox is not an event; it is skipped with a warning',
    exit: 'failed',
    status: 400,
    severity: 'error',
  },
  'worker.transfer_failed': {
    meaning: 'an artifact transfer failed and can be retried',
    exit: 'failed',
    status: 400,
    retry: true,
  },
  'worker.transfer_refused': {
    meaning: 'the server does not have, or does not accept, an artifact',
    exit: 'failed',
    status: 400,
  },
  'worker.malformed_message': {
    meaning: 'a message of a worker does not match the protocol',
    exit: 'failed',
    status: 400,
  },
  'worker.handshake_required': {
    meaning: 'a worker sent a message before the handshake was complete',
    exit: 'failed',
    status: 400,
  },
  'worker.not_possible': {
    meaning: 'an operation is not possible with this worker, such as forgetting one that is connected',
    exit: 'invalid',
    status: 409,
    refusals: ['NotPossible'],
  },
  'worker.name_taken': {
    meaning: 'a newer connection has taken the name of a worker',
    exit: 'failed',
    status: 409,
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

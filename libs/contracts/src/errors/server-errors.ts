/** @file Errors of a server. */
import type { ErrorRow } from './error-row.js';

export const serverErrors = {
  // artifact
  'artifact.not_found': { meaning: 'no artifact is stored under the key', exit: 'invalid', status: 404 },
  'artifact.mismatch': {
    meaning: 'uploaded content does not match its announced hash or size',
    exit: 'invalid',
    status: 400,
  },
  'artifact.interrupted': {
    meaning: 'an upload broke off; nothing was stored',
    exit: 'invalid',
    status: 400,
  },
  'artifact.corrupt': {
    meaning: 'a stored artifact no longer matches its hash',
    exit: 'invalid',
    status: 400,
  },
  'artifact.unavailable': {
    meaning: 'the artifact store cannot be reached, read or written',
    exit: 'failed',
    status: 503,
    retry: true,
  },
  'artifact.invalid_path': {
    meaning: 'the path or key of an artifact is not plain and relative',
    exit: 'invalid',
    status: 400,
  },
  // access
  'access.unauthenticated': {
    meaning: 'the API key is missing, unknown or revoked',
    exit: 'denied',
    status: 401,
  },
  'access.denied': {
    meaning: 'the role of a key does not permit the operation',
    exit: 'denied',
    status: 403,
    refusals: ['NotPossible'],
  },
  'access.throttled': {
    meaning: 'one key sent too many requests or bytes, or one address too many requests or unknown keys',
    exit: 'temporary',
    status: 429,
    retry: true,
  },
  'access.limit_exceeded': {
    meaning:
      'a key has too much at once: sockets, operations, followed runs, queued jobs or stored bytes; or too many sockets have not authenticated',
    exit: 'invalid',
    status: 429,
    retry: true,
  },
  'access.foreign_host': {
    meaning: 'a request names a host that this server does not serve',
    exit: 'invalid',
    status: 403,
  },
  'access.foreign_origin': {
    meaning: 'a request comes from a page of another origin',
    exit: 'invalid',
    status: 403,
  },
  'access.weak_key': {
    meaning: 'a key in the settings is too short, revoked, or of another role',
    exit: 'failed',
    status: 403,
  },
  'access.last_admin': {
    meaning: 'the last admin key cannot be revoked',
    exit: 'invalid',
    status: 409,
    refusals: ['NotPossible'],
  },
  // graphql
  'graphql.invalid': {
    meaning: 'a GraphQL document or its variables do not fit the schema',
    exit: 'invalid',
    status: 400,
  },
  'graphql.too_deep': {
    meaning: 'a GraphQL operation nests fields too deeply',
    exit: 'invalid',
    status: 400,
  },
  'graphql.too_costly': {
    meaning: 'a GraphQL operation exceeds the cost limit',
    exit: 'invalid',
    status: 400,
  },
  // run
  'run.wrong_state': {
    meaning: 'an operation is not possible in the current state of a run or job',
    exit: 'invalid',
    status: 409,
    refusals: ['WrongState'],
  },
  'run.idempotency_key_reused': {
    meaning: 'an idempotency key came with a different request before',
    exit: 'invalid',
    status: 422,
    refusals: ['NotPossible'],
  },
  'run.incomplete_import': {
    meaning: 'an import ended before all its events and files arrived',
    exit: 'invalid',
    status: 409,
  },
  'run.idle_devices': {
    meaning: 'a run requests GPUs that its training will not use; a warning',
    exit: 'invalid',
    status: 400,
    severity: 'warning',
  },
  'run.not_possible': {
    meaning: 'an operation is not possible with this run',
    exit: 'invalid',
    status: 409,
    refusals: ['NotPossible'],
  },
  // rating
  'rating.nothing_to_rate': {
    meaning: 'no trajectories, or too many, are where some shall be drawn',
    exit: 'invalid',
    status: 409,
    refusals: ['NotPossible'],
  },
  'rating.not_possible': {
    meaning: 'an operation is not possible with this rating set',
    exit: 'invalid',
    status: 409,
    refusals: ['NotPossible'],
  },
  // server
  'server.invalid_input': {
    meaning: 'a value of a request is missing, unknown, of a wrong type or outside its range',
    exit: 'invalid',
    status: 400,
    refusals: ['InvalidInput'],
  },
  'server.not_found': {
    meaning: 'an id does not exist, or belongs to a project that the key may not see',
    exit: 'notFound',
    status: 404,
    refusals: ['NotFound'],
  },
  'server.internal': {
    meaning: 'the server itself failed; its log has the details under the request id',
    exit: 'failed',
    status: 500,
  },
  'server.malformed': {
    meaning: 'a request, or a GraphQL document in it, cannot be parsed',
    exit: 'invalid',
    status: 400,
  },
  'server.not_allowed': { meaning: 'an address does not support the method', exit: 'invalid', status: 405 },
  'server.too_large': {
    meaning: 'a body, address, headers or GraphQL document exceed the size limit of the server',
    exit: 'invalid',
    status: 413,
  },
  'server.unsupported_media_type': {
    meaning: 'an address does not accept bodies of this type',
    exit: 'invalid',
    status: 415,
  },
  'server.shutting_down': {
    meaning: 'the server is shutting down',
    exit: 'temporary',
    status: 503,
    retry: true,
  },
  'server.already_running': {
    meaning: 'another server uses the data folder or database',
    exit: 'temporary',
    status: 400,
    retry: true,
  },
  'server.standby': {
    meaning: 'this server stands by, and another one serves',
    exit: 'temporary',
    status: 503,
    retry: true,
  },
  'server.database_newer': {
    meaning: 'a later version of Espalier has migrated the database',
    exit: 'failed',
    status: 400,
  },
  'server.stop_timeout': {
    meaning: 'a server could not finish in time, because a service does not answer',
    exit: 'failed',
  },
  'server.cannot_listen': {
    meaning: 'the server cannot listen on an address or port',
    exit: 'temporary',
    status: 400,
    retry: true,
  },
  'server.invalid_cursor': { meaning: '`after` is not a cursor of this list', exit: 'invalid', status: 400 },
  'server.database_lost': {
    meaning: 'a database that was used before is missing, empty or corrupt',
    exit: 'failed',
    status: 400,
  },
  'server.database_unusable': {
    meaning: 'the database cannot be opened or migrated',
    exit: 'failed',
    status: 503,
    retry: true,
  },
  'server.database_unavailable': {
    meaning: 'the database is temporarily unavailable: locked, full, failing, or not answering',
    exit: 'temporary',
    status: 503,
    retry: true,
  },
  // job
  'job.failed': {
    meaning: 'a run or an evaluation of it failed and is not tried again; an alert',
    exit: 'failed',
    severity: 'error',
  },
  // event
  'event.gap': {
    meaning: 'events of a stream do not continue the stored ones',
    exit: 'invalid',
    status: 409,
  },
  // trajectory
  'trajectory.not_stored': {
    meaning: 'the file of a trajectory has not arrived, or does not contain it',
    exit: 'invalid',
    status: 404,
  },
  'trajectory.too_large': {
    meaning: 'a trajectory exceeds the bytes that a server reads into memory',
    exit: 'invalid',
    status: 422,
  },
  'trajectory.unavailable': {
    meaning: 'a trajectory could not be read in time; retrying may help',
    exit: 'failed',
    status: 503,
    retry: true,
  },
  'trajectory.unreadable': { meaning: 'a stored trajectory file is corrupt', exit: 'failed', status: 500 },
  // chat
  'chat.unavailable': {
    meaning: 'the model of a chat cannot reply: its job waits for a worker, or has ended',
    exit: 'failed',
    status: 409,
    retry: true,
  },
  'chat.failed': {
    meaning: 'the model of a chat could not be asked, or failed while it replied',
    exit: 'failed',
    status: 502,
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

/** @file Errors of commands: their words, connections to a server, backups, benchmarks. */
import type { ErrorRow } from './error-row.js';

export const commandErrors = {
  // cli
  'cli.usage': { meaning: 'the command line is invalid', exit: 'usage' },
  'cli.run_exists': { meaning: 'a run folder is already in use, without --resume', exit: 'invalid' },
  'cli.unusable_folder': {
    meaning: 'a folder for results or data cannot be created or written',
    exit: 'invalid',
  },
  'cli.invalid_record': {
    meaning: 'a line of an imported file is not what its format says',
    exit: 'invalid',
  },
  'cli.run_not_found': { meaning: 'a run, or a step of it, does not exist', exit: 'notFound' },
  'cli.no_key': { meaning: 'a command needs a server but has no API key for it', exit: 'denied' },
  'cli.ambiguous_run': { meaning: 'a name matches more than one run of the server', exit: 'usage' },
  'cli.corrupt_download': { meaning: 'a downloaded file does not match its announced hash', exit: 'failed' },
  'cli.interrupted': {
    meaning: 'a command was interrupted; the message says whether it can be resumed',
    exit: 'temporary',
    retry: true,
  },
  'cli.over_budget': {
    meaning:
      'a sweep is predicted to need more than its budget, or a run or warm start more memory than the machine has, or, as planned, more disk',
    exit: 'invalid',
  },
  'cli.sweep_changed': {
    meaning: 'the folder of a sweep holds runs that were begun with other options',
    exit: 'invalid',
  },
  'cli.sweep_in_use': {
    meaning: 'another process runs the sweep of this folder',
    exit: 'temporary',
    retry: true,
  },
  'cli.worker_failed': { meaning: 'the worker of `espalier up` exited before it connected', exit: 'failed' },
  // report
  'report.invalid_citation': {
    meaning: 'a citation in the notes of a report leads nowhere, or does not say what is written beside it',
    exit: 'invalid',
  },
  'report.unreadable': { meaning: 'a file is no report that can be checked', exit: 'invalid' },
  'report.failed': {
    meaning: 'the server could not make a report; the message has the last words of the process that tried',
    exit: 'failed',
    status: 422,
  },
  'report.outdated': { meaning: 'a report does not say what its runs say', exit: 'failed' },
  // agent
  'agent.refused': {
    meaning: 'the endpoint of an API agent refuses its key, its model or its requests',
    exit: 'failed',
  },
  'agent.unavailable': {
    meaning: 'the endpoint of an API agent gives no usable answer, also after further tries',
    exit: 'unavailable',
    retry: true,
  },
  'agent.failed': {
    meaning:
      'an API agent gave no reply in an episode, which counts as failed; or its endpoint does not tell its tokens',
    exit: 'failed',
  },
  'agent.budget_exhausted': {
    meaning: 'the budget of an API agent is spent; what was measured is shown',
    exit: 'temporary',
  },
  'agent.not_recorded': {
    meaning: 'the file of --replay lacks a reply that is needed',
    exit: 'invalid',
  },
  // endpoint
  'endpoint.invalid_request': {
    meaning: 'a call of a model endpoint has a field that is missing, wrong, or not acted on',
    exit: 'invalid',
    status: 400,
  },
  'endpoint.prompt_too_long': {
    meaning: 'the prompt of a call leaves no room for a reply in the context',
    exit: 'invalid',
    status: 400,
  },
  'endpoint.unauthorized': {
    meaning: 'the key of a model endpoint is missing or wrong, or it would need one',
    exit: 'denied',
    status: 401,
  },
  'endpoint.not_found': { meaning: 'a model endpoint has no such route', exit: 'notFound', status: 404 },
  'endpoint.too_large': { meaning: 'the body of a call is too large', exit: 'invalid', status: 413 },
  'endpoint.failed': { meaning: 'a model endpoint failed while it answered', exit: 'failed', status: 500 },
  'endpoint.unusable_address': { meaning: 'a model endpoint cannot listen on its address', exit: 'invalid' },
  // session
  'session.required': {
    meaning: 'a call of the endpoint of a run names no session',
    exit: 'invalid',
    status: 400,
  },
  'session.not_found': { meaning: 'a session does not exist', exit: 'notFound', status: 404 },
  'session.ended': {
    meaning: 'a session has ended, and takes no more calls and no reward',
    exit: 'invalid',
    status: 410,
  },
  'session.not_ended': {
    meaning: 'a trajectory is asked for before its session has ended',
    exit: 'invalid',
    status: 409,
  },
  'session.already_rewarded': {
    meaning: 'a session, or a call of it, has its reward already',
    exit: 'invalid',
    status: 409,
  },
  'session.call_not_found': {
    meaning: 'a reward names a reply that its session does not have',
    exit: 'notFound',
    status: 404,
  },
  'session.no_calls': {
    meaning: 'a reward is posted to a session in which nothing was sampled',
    exit: 'invalid',
    status: 409,
  },
  'session.call_limit': { meaning: 'a session has made all its calls', exit: 'invalid', status: 403 },
  'session.at_capacity': {
    meaning: 'an endpoint has as many open sessions as it may have',
    exit: 'temporary',
    status: 429,
    retry: true,
  },
  'session.none_wanted': {
    meaning: 'a run waits for no session now',
    exit: 'temporary',
    status: 503,
    retry: true,
  },
  // tracker
  'tracker.unavailable': {
    meaning: 'an experiment tracker does not answer; what it lacks stays in the run folder',
    exit: 'unavailable',
    retry: true,
    severity: 'warning',
  },
  'tracker.refused': {
    meaning: 'an experiment tracker refuses what it is sent, or the address is not that of one',
    exit: 'failed',
    severity: 'warning',
  },
  'tracker.in_use': {
    meaning: 'another process sends this run to this tracker',
    exit: 'temporary',
    retry: true,
  },
  // bench
  'bench.item_failed': { meaning: 'a benchmark failed', exit: 'failed' },
  'bench.peers_missing': {
    meaning: 'the Python environment, a peer program or one of its packages is missing',
    exit: 'failed',
  },
  'bench.peer_failed': { meaning: 'a peer program failed or printed no result', exit: 'failed' },
  // client
  'client.unreachable': { meaning: 'a server does not answer', exit: 'unavailable', retry: true },
  'client.refused': { meaning: 'a server rejected a request; details.code is its code', exit: 'failed' },
  // backup
  'backup.not_found': {
    meaning: 'there is nothing to back up, or a folder is not a finished backup',
    exit: 'notFound',
  },
  'backup.corrupt': { meaning: 'a file of a backup does not match its hash', exit: 'invalid' },
  'backup.mismatch': { meaning: 'the settings do not fit what the backup holds', exit: 'invalid' },
  'backup.target_not_empty': { meaning: 'the target folder or database is not empty', exit: 'invalid' },
  'backup.no_program': { meaning: 'pg_dump or pg_restore is not installed', exit: 'invalid' },
  'backup.failed': {
    meaning: 'a backup or restore could not read or write; nothing of it was kept',
    exit: 'failed',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

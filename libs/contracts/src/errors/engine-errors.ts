/** @file Errors of policy engines: in this process, and on servers of the Tinker API. */
import type { ErrorRow } from './error-row.js';

export const engineErrors = {
  'engine.cancelled': { meaning: 'a signal cancelled sampling', exit: 'temporary', retry: true },
  'engine.invalid_request': {
    meaning: 'an engine cannot serve a request: token ids outside the vocabulary, positions, lengths',
    exit: 'failed',
  },
  'engine.context_exceeded': { meaning: 'a sequence is longer than the model context', exit: 'invalid' },
  'engine.disposed': { meaning: 'an engine or model is used after it was disposed', exit: 'failed' },
  'engine.not_finite': { meaning: 'a step produced NaN or infinity; it was not applied', exit: 'failed' },
  'engine.unsupported': {
    meaning: 'a remote engine cannot do what a run or a request asks for',
    exit: 'invalid',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'engine.unknown_model': {
    meaning: 'a remote engine has no base model of this name',
    exit: 'notFound',
    status: 422,
    refusals: ['InvalidInput'],
  },
  'engine.unreachable': {
    meaning: 'a remote engine does not answer',
    exit: 'unavailable',
    retry: true,
  },
  'engine.waiting': {
    meaning: 'a remote engine has not answered for seconds; the run waits for it',
    exit: 'unavailable',
    severity: 'warning',
  },
  'engine.overloaded': {
    meaning: 'a remote engine says for too long that it is busy',
    exit: 'temporary',
    retry: true,
  },
  'engine.denied': { meaning: 'a remote engine does not accept the key', exit: 'denied' },
  'engine.refused': { meaning: 'a remote engine refuses a request', exit: 'failed' },
  'engine.bad_answer': {
    meaning:
      'a remote engine, or a client of one, sends what the Tinker API does not say; nothing was trained on it',
    exit: 'failed',
  },
  'engine.lost': {
    meaning: 'a remote engine no longer knows the model, and its state could not be restored',
    exit: 'temporary',
    retry: true,
  },
  'engine.limited': {
    meaning: 'a remote engine does something otherwise than the embedded one; a warning',
    exit: 'failed',
    severity: 'warning',
  },
  'engine.capacity': {
    meaning: 'an engine that is served has no room for another model',
    exit: 'temporary',
    retry: true,
  },
  'engine.address_in_use': {
    meaning: 'another program listens where an engine is to be served',
    exit: 'temporary',
    retry: true,
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

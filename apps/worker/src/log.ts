/** @file What a worker says to the person who runs it: lines of JSON on standard error. */
import { pino, destination } from 'pino';

/** The part of pino's logger that is used. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export function createLog(): Log {
  return pino({ base: null, level: process.env['ESPALIER_LOG'] ?? 'info' }, destination(2));
}

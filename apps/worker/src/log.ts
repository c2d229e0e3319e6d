/** @file What a worker says to the person who runs it: lines of JSON on standard error, formed as those of the server. */
import { destination, pino, stdTimeFunctions } from 'pino';

/** The part of pino's logger that is used. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** bytes kept while standard error takes nothing, such as on a full disk; later lines are lost */
const maxWaiting = 1024 * 1024;

export function createLog(): Log {
  const stream = destination({ dest: 2, sync: true, maxLength: maxWaiting });
  // a log that cannot be written is lost; the worker goes on without it
  stream.on('error', () => undefined);
  return pino(
    {
      base: { pid: process.pid },
      level: process.env['ESPALIER_LOG'] ?? 'info',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

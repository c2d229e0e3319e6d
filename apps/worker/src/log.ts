/** @file What a worker says to the person who runs it: lines of JSON on standard error, formed as those of the server. */
import { destination, pino, stdTimeFunctions } from 'pino';

/** The part of pino's logger that is used. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export function createLog(): Log {
  return pino(
    {
      base: { pid: process.pid },
      level: process.env['ESPALIER_LOG'] ?? 'info',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination(2),
  );
}

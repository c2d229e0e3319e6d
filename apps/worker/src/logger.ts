/** @file The log of a worker: JSON lines on standard error, in the format of the server's log. */
import { destination, pino, stdTimeFunctions } from 'pino';

/** The part of pino's logger that the worker uses. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** bytes buffered while standard error blocks, such as on a full disk; later lines are dropped */
const maxBufferedBytes = 1024 * 1024;

export function createLogger(): Logger {
  const stream = destination({ dest: 2, sync: true, maxLength: maxBufferedBytes });
  // the worker keeps running if its log cannot be written
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

/**
 * @file The log: one JSON object per line on stderr, with the id of the request where there is one. Nest's own account
 * of its start is `debug`. Clients choose much of what is logged, so lines have a largest length, and every
 * expression here takes time proportional to its text. Keys never get into the log: fields with telling
 * names are redacted, errors keep only what is listed here, and what looks like a key within a sentence is cut.
 */
import { format } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import type { ServerOptions } from '../config/server-options.js';
import { currentRequestId } from './request-scope.js';

const nestContexts = new Set(
  'NestFactory InstanceLoader RoutesResolver RouterExplorer NestApplication GraphQLModule WebSocketsController'.split(
    ' ',
  ),
);
const secretFields = [
  'authorization',
  'cookie',
  'key',
  'secret',
  'password',
  'adminKey',
  'workerKey',
  'ticket',
  'url',
];

/** characters of a line */
const maxLine = 32 * 1024;
/** bytes kept while stderr takes nothing, such as on a full disk; later lines are lost */
const maxWaiting = 1024 * 1024;

/** Makes the log of a server. @param destination default: stderr */
export function createLog(options: ServerOptions, destination?: DestinationStream): PinoLogger {
  const secrets = [options.access.adminKey, options.access.workerKey].filter((secret) => secret !== '');
  const log = pino(
    {
      level: options.logLevel,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[left out]',
      },
      serializers: { err: serializeError },
      mixin: () => {
        const requestId = currentRequestId();
        return requestId === '' ? {} : { requestId };
      },
      hooks: {
        streamWrite: (line) => boundLine(scrubText(line, secrets)),
      },
    },
    destination ?? openStderr(),
  );
  return new PinoLogger(log);
}

/** A log that cannot be written is lost; the server continues without it. */
function openStderr(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: true, maxLength: maxWaiting });
  stream.on('error', () => undefined);
  return stream;
}

/** Drivers attach queries, parameters and headers to their errors, which may hold secrets. */
function serializeError(error: Error): object {
  const { type, message, stack, code } = stdSerializers.err(error) as unknown as Record<string, unknown>;
  return { type, message, stack, code };
}

/** Of a line that is too long, its beginning becomes the message of another one. Keys are cut before, so none is halved. */
function boundLine(line: string): string {
  if (line.length <= maxLine) return line;
  const msg = `write a log line: ${line.length} characters; at most ${maxLine} are written; it begins: ${line.slice(0, maxLine / 4)}`;
  return `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), pid: process.pid, msg })}\n`;
}

/** Cuts what looks like a key out of a line, in time proportional to its length. */
export function scrubText(text: string, secrets: readonly string[] = []): string {
  const scrubbed = text
    .replace(/esp_[\w-]{8,}/g, 'esp_[left out]')
    .replace(/espt_[\w.-]{8,}/g, 'espt_[left out]')
    .replace(/(Bearer\s{1,8})[^\s"\\]+/gi, '$1[left out]')
    // no slash in the password, so that the searches from two `://` never look at the same text
    .replace(/(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g, '$1[left out]@');
  return secrets.reduce((line, secret) => line.replaceAll(secret, '[left out]'), scrubbed);
}

/** Sends to the log what libraries write to the console, so that every line of standard error is JSON. */
export function redirectConsole(log: PinoLogger): void {
  const write =
    (level: 'debug' | 'warn') =>
    (...words: unknown[]) =>
      log[level](format(...words), 'console');
  Object.assign(console, {
    debug: write('debug'),
    log: write('debug'),
    info: write('debug'),
    warn: write('warn'),
    error: write('warn'),
  });
}

/** Nest's way to the log. */
export class PinoLogger implements LoggerService {
  constructor(private readonly lines: Logger) {}

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const last = rest.at(-1);
    const context = typeof last === 'string' ? last : '';
    const facts = rest.filter((value) => typeof value === 'object' && value !== null);
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? { stack: rest[0] } : {};
    const isNest = level === 'info' && nestContexts.has(context);
    const fields = Object.assign({ ...(context === '' ? {} : { context }) }, stack, ...facts) as object;
    if (message instanceof Error) this.lines[level]({ ...fields, err: message });
    else if (typeof message === 'object') this.lines[level]({ ...fields, ...message });
    else this.lines[isNest ? 'debug' : level](fields, String(message));
  }
}

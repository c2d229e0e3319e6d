/**
 * @file The log: one JSON object per line on stderr, with the id of the request where there is one. Nest's own account
 * of its start is `debug`. Keys never get into it: fields of telling names are left out, and what looks like a key
 * within a sentence is cut.
 */
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import type { ServerOptions } from '../config/server-options.js';
import { currentRequestId } from './request-scope.js';

const nestContexts = new Set(
  'NestFactory InstanceLoader RoutesResolver RouterExplorer NestApplication GraphQLModule WebSocketsController'.split(
    ' ',
  ),
);
const secretFields = ['authorization', 'cookie', 'key', 'secret', 'password', 'adminKey', 'workerKey', 'url'];

/** Makes the log of a server. @param destination default: stderr */
export function createLog(options: ServerOptions, destination?: DestinationStream): PinoLogger {
  const secrets = [options.access.adminKey, options.access.workerKey].filter((secret) => secret !== '');
  const scrub = (text: string): string => scrubText(text, secrets);
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
      serializers: { err: stdSerializers.err },
      mixin: () => {
        const requestId = currentRequestId();
        return requestId === '' ? {} : { requestId };
      },
      hooks: {
        streamWrite: scrub,
      },
    },
    destination ?? pino.destination({ dest: 2, sync: true }),
  );
  return new PinoLogger(log);
}

/** Cuts what looks like a key out of a line. */
export function scrubText(text: string, secrets: readonly string[] = []): string {
  const cut = text
    .replace(/esp_[\w-]{8,}/g, 'esp_[left out]')
    .replace(/(Bearer\s+)[^\s"\\]+/gi, '$1[left out]')
    .replace(/(\w+:\/\/[^\s:/@"]+:)[^\s@"]+@/g, '$1[left out]@');
  return secrets.reduce((line, secret) => line.replaceAll(secret, '[left out]'), cut);
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

/**
 * @file The main thread's end of a plugin process: requests with a timeout, asynchronous or blocking. Neither the thread
 * nor the process keeps Espalier alive, and both end with it.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '@espalier/contracts';
import { findError } from '@espalier/contracts/error-codes';
import type { CallResult, Outcome, PluginRequest, SerializedError } from './protocol.js';
import { waitForChange } from './wait-for-change.js';

/** A package that runs in its own process. */
export interface PackageLink {
  readonly folder: string;
  /**
   * @param signal passed on to what the plugin waits for
   * @throws plugin.timeout, plugin.failed when its process exited, or what the plugin threw
   */
  request(payload: PluginRequest, limitMs: number, signal?: AbortSignal): Promise<unknown>;
  /** Like {@link request}, for synchronous hooks: blocks this thread until the reply arrives. */
  requestSync(payload: PluginRequest, limitMs: number): unknown;
  /** Ends the process. */
  dispose(): Promise<void>;
}

/** Memory limit of a plugin process, where the operating system reports usage. */
const maxMemoryBytes = 1024 * 2 ** 20;

/** Environment variables passed to a plugin process; none holds a secret. */
const environmentNames = ['LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot'];

/** Opens a package; its process starts with the first request. */
export function openPackage(folder: string): PackageLink {
  const [calls, callsOfRelay] = ports();
  const [syncReplies, syncRepliesOfRelay] = ports();
  const syncCount = new Int32Array(new SharedArrayBuffer(4));
  const relay = new Worker(builtFile('relay.js'), {
    workerData: {
      folder,
      childFile: builtFile('child.js'),
      env: minimalEnvironment(),
      maxMemoryBytes,
      calls: callsOfRelay,
      syncReplies: syncRepliesOfRelay,
      syncCount,
    },
    transferList: [callsOfRelay, syncRepliesOfRelay],
    execArgv: [],
  });
  relay.unref();
  calls.unref();
  syncReplies.unref();
  const waiting = new Map<number, (result: CallResult) => void>();
  let next = 0;
  const settle = (result: CallResult): void => {
    waiting.get(result.id)?.(result);
    waiting.delete(result.id);
    if (waiting.size === 0) calls.unref();
  };
  calls.on('message', settle);
  calls.unref();
  relay.on('error', (error) => {
    for (const id of [...waiting.keys()])
      settle({ id, ended: 'exit', finding: `its relay thread failed: ${error.message}` });
  });
  return {
    folder,
    request: async (payload, limitMs, signal) => {
      const id = next++;
      const abort = (): void => calls.postMessage({ abort: id });
      const result = await new Promise<CallResult>((resolve) => {
        waiting.set(id, resolve);
        calls.ref();
        calls.postMessage({ id, request: payload, limitMs, isSync: false });
        if (signal?.aborted === true) abort();
        signal?.addEventListener('abort', abort);
      }).finally(() => signal?.removeEventListener('abort', abort));
      return valueOf(result);
    },
    requestSync: (payload, limitMs) => {
      const before = Atomics.load(syncCount, 0);
      calls.postMessage({ id: next++, request: payload, limitMs, isSync: true });
      // the relay enforces the timeout; this longer one only detects that the relay itself died
      const isAnswered = waitForChange(syncCount, before, limitMs + 300_000);
      const received = isAnswered ? receiveMessageOnPort(syncReplies) : undefined;
      if (received === undefined) throw new AppError('plugin.failed', 'its relay thread does not respond');
      return valueOf(received.message as CallResult);
    },
    dispose: async () => {
      calls.postMessage('dispose');
      await new Promise<void>((resolve) => {
        relay.ref();
        relay.once('exit', () => resolve());
      });
      for (const id of [...waiting.keys()]) settle({ id, ended: 'exit', finding: 'it was disposed' });
      calls.close();
      syncReplies.close();
    },
  };
}

/** Returns the value of an outcome, or throws its error as the plugin's own. */
export function readOutcome(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value;
  throw deserializeError(outcome.error);
}

function valueOf(result: CallResult): unknown {
  if ('outcome' in result) return readOutcome(result.outcome);
  const { ended, finding, code } = result;
  if (ended === 'load') throw new AppError(isErrorCode(code) ? code : 'plugin.unreadable', finding);
  throw new AppError(ended === 'timeout' ? 'plugin.timeout' : 'plugin.failed', finding);
}

/** An error that a plugin threw; `hook` is set when it is not the requested one. */
export class PluginError extends Error {
  readonly hook: string | undefined;
  constructor({ name, message, hook, stack }: SerializedError) {
    super(message);
    if (stack !== undefined) this.stack = stack;
    this.name = name === '' ? 'Error' : name;
    this.hook = hook;
  }
}

function deserializeError(error: SerializedError): Error {
  if (error.hook === undefined && isErrorCode(error.code)) return new AppError(error.code, error.message);
  return new PluginError(error);
}

const isErrorCode = (code: string | undefined): code is ErrorCode =>
  code !== undefined && findError(code) !== undefined;

function ports(): [MessageChannel['port1'], MessageChannel['port2']] {
  const { port1, port2 } = new MessageChannel();
  return [port1, port2];
}

function minimalEnvironment(): Record<string, string> {
  return Object.fromEntries(
    environmentNames.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Threads and processes need compiled files, even when this file runs from source. */
function builtFile(name: string): string {
  const sibling = fileURLToPath(new URL(name, import.meta.url));
  return existsSync(sibling)
    ? sibling
    : fileURLToPath(new URL(`../../dist/isolation/${name}`, import.meta.url));
}

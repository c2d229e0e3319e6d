/**
 * @file The main thread's end of a plugin's process: questions with a time limit, asked with or without waiting for the
 * event loop. Nothing here keeps Espalier from ending, and the process ends with it.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { AppError, type ErrorCode, errorCodes } from '@espalier/contracts';
import type { CallResult, Outcome, Question, ToldError } from './messages.js';

/** A package that runs in a process of its own. */
export interface PackageLink {
  readonly folder: string;
  /** @throws plugin.timeout, plugin.failed when its process ended, or what the plugin threw */
  ask(question: Question, limitMs: number): Promise<unknown>;
  /** As {@link ask}, for hooks that are synchronous: this thread stands still until the answer is there. */
  askNow(question: Question, limitMs: number): unknown;
  /** Ends the process. */
  dispose(): Promise<void>;
}

/** Most memory of a plugin's process, where the system tells it. */
const maxMemoryBytes = 1024 * 2 ** 20;

/** Variables a plugin's process gets; none can hold a secret. */
const environmentNames = ['LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot'];

/** Opens a package; its process starts with the first question. */
export function openPackage(folder: string): PackageLink {
  const [calls, callsOfRelay] = ports();
  const [syncReplies, syncRepliesOfRelay] = ports();
  const syncCount = new Int32Array(new SharedArrayBuffer(4));
  const relay = new Worker(builtFile('relay.js'), {
    workerData: {
      ...{ folder, childFile: builtFile('child.js'), env: minimalEnvironment(), maxMemoryBytes },
      ...{ calls: callsOfRelay, syncReplies: syncRepliesOfRelay, syncCount },
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
      settle({ id, ended: 'exit', finding: `its relay failed: ${error.message}` });
  });
  return {
    folder,
    ask: async (question, limitMs) => {
      const id = next++;
      const result = await new Promise<CallResult>((resolve) => {
        waiting.set(id, resolve);
        calls.ref();
        calls.postMessage({ id, question, limitMs, isSync: false });
      });
      return valueOf(result);
    },
    askNow: (question, limitMs) => {
      const before = Atomics.load(syncCount, 0);
      calls.postMessage({ id: next++, question, limitMs, isSync: true });
      // the relay keeps the limit; this one only notices that the relay itself is gone
      Atomics.wait(syncCount, 0, before, limitMs + 300_000);
      const received = receiveMessageOnPort(syncReplies) as { message: CallResult } | undefined;
      if (received === undefined) throw new AppError('plugin.failed', 'its relay does not answer');
      return valueOf(received.message);
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

/** Gives the value of an outcome, or throws its error as the plugin's own. */
export function readOutcome(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value;
  throw reviveError(outcome.error);
}

function valueOf(result: CallResult): unknown {
  if ('outcome' in result) return readOutcome(result.outcome);
  const { ended, finding, code } = result;
  if (ended === 'load') throw new AppError(isErrorCode(code) ? code : 'plugin.unreadable', finding);
  throw new AppError(ended === 'timeout' ? 'plugin.timeout' : 'plugin.failed', finding);
}

/** What a plugin threw, with the hook when it was another than the one asked. */
export class PluginError extends Error {
  readonly hook: string | undefined;
  constructor({ name, message, hook, stack }: ToldError) {
    super(message);
    if (stack !== undefined) this.stack = stack;
    this.name = name === '' ? 'Error' : name;
    this.hook = hook;
  }
}

function reviveError(told: ToldError): Error {
  if (told.hook === undefined && isErrorCode(told.code)) return new AppError(told.code, told.message);
  return new PluginError(told);
}

const isErrorCode = (code: string | undefined): code is ErrorCode =>
  code !== undefined && Object.hasOwn(errorCodes, code);

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

/** Threads and processes run what the compiler wrote, also where this file itself runs from source. */
function builtFile(name: string): string {
  const beside = fileURLToPath(new URL(name, import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL(`../../dist/isolation/${name}`, import.meta.url));
}

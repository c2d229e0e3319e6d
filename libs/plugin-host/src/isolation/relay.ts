/**
 * @file The thread between Espalier and a plugin process. It owns the process, so timeouts are exact however busy the
 * main thread is, and the main thread can block on a synchronous hook. When a call times out, its process is killed;
 * every other call is retried in a new process, where its environment is first replayed to the same state.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type MessagePort, workerData } from 'node:worker_threads';
import type { Call, CallResult, ChildMessage, ChildRequest, InstanceRequest, Replay } from './protocol.js';

interface RelayStart {
  readonly folder: string;
  readonly childFile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxMemoryBytes: number;
  readonly calls: MessagePort;
  readonly syncReplies: MessagePort;
  /** incremented after each synchronous reply */
  readonly syncCount: Int32Array;
}

/** How often a pending call is retried in a new process after the old one was killed. */
const maxAttempts = 3;
const tickMs = 20;
const loadLimitMs = 120_000;

interface Pending extends Call {
  /** its signal has aborted */
  isAborted: boolean;
  attempts: number;
  isPending: boolean;
  /** when the process started on it; set for the first unanswered call, kept while its promise is pending */
  startedAt: number | undefined;
}

interface History extends Replay {
  readonly actions: string[];
  /** the process that holds the instance in this state */
  generation: number;
}

const { folder, childFile, env, maxMemoryBytes, calls, syncReplies, syncCount } = workerData as RelayStart;
/** in the order in which the process handles them */
const pending = new Map<number, Pending>();
const histories = new Map<number, History>();
let child: ChildProcess | undefined;
let generation = 0;
let isReady = false;
let startedAt = 0;
let timer: NodeJS.Timeout | undefined;
let lastMemoryCheck = 0;
let outbox: Pending[] = [];

calls.on('message', (message: Call | { readonly abort: number } | 'dispose') => {
  if (message === 'dispose') {
    child?.kill('SIGKILL');
    calls.close();
    return process.exit(0);
  }
  if ('abort' in message) return abort(message.abort);
  const call: Pending = {
    ...message,
    isAborted: false,
    attempts: 0,
    isPending: false,
    startedAt: undefined,
  };
  pending.set(call.id, call);
  timer ??= setInterval(check, tickMs);
  if (child === undefined) startChild();
  else if (isReady) post(call);
});

function startChild(): void {
  generation += 1;
  isReady = false;
  startedAt = performance.now();
  const mine = generation;
  const begun = fork(childFile, [folder], {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=512'],
    env,
    // a plugin's output goes to stderr: Espalier's stdout may be parsed
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  child = begun;
  begun.on('message', (message: ChildMessage) => {
    if (mine === generation) receive(message);
  });
  begun.on('error', () => undefined);
  begun.on('exit', (code, signal) => {
    if (mine !== generation || child === undefined) return;
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    endChild('exit', `its process exited by itself (${how}); a plugin must not end its process`);
  });
}

function receive(message: ChildMessage): void {
  if ('isReady' in message) {
    isReady = true;
    for (const call of pending.values()) post(call);
    return;
  }
  if ('cannotLoad' in message) {
    const { code, message: finding } = message.cannotLoad;
    for (const { id } of [...pending.values()])
      finish({ id, ended: 'load', finding, ...(code === undefined ? {} : { code }) });
    return dropChild();
  }
  const call = pending.get(message.id);
  if (call === undefined) return;
  if ('isPending' in message) {
    call.isPending = true;
    call.startedAt ??= performance.now();
  } else {
    if ('value' in message.outcome) remember(call);
    finish({ id: call.id, outcome: message.outcome });
  }
  startClock();
}

/** Tells the process, at once or with the call. */
function abort(id: number): void {
  const call = pending.get(id);
  if (call === undefined) return;
  call.isAborted = true;
  if (isReady) send([{ abort: id }]);
}

function send(requests: readonly ChildRequest[]): void {
  if (child?.connected === true) child.send([...requests]);
}

/** Calls made in one turn of the event loop are sent as one message. */
function post(call: Pending): void {
  if (outbox.length === 0) queueMicrotask(flush);
  outbox.push(call);
}

function flush(): void {
  const ready = outbox;
  outbox = [];
  if (!isReady || child === undefined || !child.connected) return;
  send(
    ready.map(({ id, request, isAborted }) => ({
      id,
      request: request.op === 'instance' ? withReplay(request) : request,
      isAborted,
    })),
  );
  startClock();
}

/** The process works on the first call that is neither answered nor pending; only that call's clock runs. */
function startClock(): void {
  const first = head();
  if (first !== undefined) first.startedAt ??= performance.now();
}

function head(): Pending | undefined {
  for (const call of pending.values()) if (!call.isPending) return call;
  return undefined;
}

function withReplay(request: InstanceRequest): InstanceRequest {
  const history = histories.get(request.instance);
  if (history === undefined || history.generation === generation || request.hook === 'close') return request;
  history.generation = generation;
  if (request.hook === 'reset') return request;
  const { seeds, snapshot, actions } = history;
  return { ...request, replay: { seeds, actions, ...(snapshot === undefined ? {} : { snapshot }) } };
}

function remember({ request }: Call): void {
  if (request.op !== 'instance') return;
  const { instance, hook, args } = request;
  if (hook === 'reset') histories.set(instance, { seeds: args[0], actions: [], generation });
  if (hook === 'step') histories.get(instance)?.actions.push(String(args[0]));
  if (hook === 'restore')
    histories.set(instance, { seeds: undefined, snapshot: args[0], actions: [], generation });
  if (hook === 'close') histories.delete(instance);
}

function finish(result: CallResult): void {
  const call = pending.get(result.id);
  pending.delete(result.id);
  if (pending.size === 0) {
    clearInterval(timer);
    timer = undefined;
  }
  if (call?.isSync !== true) return calls.postMessage(result);
  syncReplies.postMessage(result);
  Atomics.add(syncCount, 0, 1);
  Atomics.notify(syncCount, 0);
}

/** Enforces timeouts and the memory limit. */
function check(): void {
  const now = performance.now();
  if (!isReady) {
    if (now - startedAt > loadLimitMs)
      endChild('timeout', `its package did not load within ${loadLimitMs} ms`);
    return;
  }
  const first = head();
  if (first !== undefined) {
    if (now - (first.startedAt ?? now) > first.limitMs) endChild('timeout', timeoutMessage(first));
  } else {
    const late = [...pending.values()].find((call) => now - (call.startedAt ?? now) > call.limitMs);
    if (late !== undefined) finish({ id: late.id, ended: 'timeout', finding: timeoutMessage(late) });
  }
  if (now - lastMemoryCheck > 100) checkMemory(now);
}

const timeoutMessage = ({ limitMs }: Call): string =>
  `did not return within ${limitMs} ms; make it faster or raise callTimeoutMs`;

function checkMemory(now: number): void {
  lastMemoryCheck = now;
  const used = residentBytes();
  if (used <= maxMemoryBytes) return;
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  endChild(
    'exit',
    `its process used ${mebibytes(used)} of memory; the limit is ${mebibytes(maxMemoryBytes)}`,
  );
}

/** Resident memory of the process where the system reports it (Linux), else 0. */
function residentBytes(): number {
  try {
    const status = readFileSync(`/proc/${child?.pid}/status`, 'utf8');
    return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Kills the process because of the call it works on; the others are retried in a new one. */
function endChild(ended: 'timeout' | 'exit', finding: string): void {
  const first = head();
  dropChild();
  const failed = first === undefined || !first.startedAt ? [...pending.values()] : [first];
  for (const { id } of failed) finish({ id, ended, finding });
  for (const call of [...pending.values()]) {
    // a call that never started is not to blame, however often others get the process killed
    const attempts = call.attempts + (call.isPending ? 1 : 0);
    Object.assign(call, { isPending: false, startedAt: undefined, attempts });
    if (call.attempts < maxAttempts) continue;
    finish({
      id: call.id,
      ended: 'exit',
      finding: `its process was killed ${maxAttempts} times because of other calls`,
    });
  }
  if (pending.size > 0) startChild();
}

function dropChild(): void {
  const old = child;
  child = undefined;
  isReady = false;
  generation += 1;
  outbox = [];
  old?.kill('SIGKILL');
}

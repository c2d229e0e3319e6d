/**
 * @file The thread between Espalier and a plugin's process. It owns the process, so time limits are exact however busy
 * the main thread is, and the main thread can wait for a synchronous hook. A call that passes its limit has its process
 * ended; every other call goes on in a new one, where its environment is first brought to where it was.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type MessagePort, workerData } from 'node:worker_threads';
import type { Call, CallResult, ChildMessage, InstanceQuestion, Replay } from './messages.js';

interface RelayStart {
  readonly folder: string;
  readonly childFile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxMemoryBytes: number;
  readonly calls: MessagePort;
  readonly syncReplies: MessagePort;
  /** counted up after each synchronous reply */
  readonly syncCount: Int32Array;
}

/** How often a call whose promise was awaited is given to a new process when the old one was ended. */
const maxAttempts = 3;
const tickMs = 20;
const loadLimitMs = 120_000;

interface Pending extends Call {
  attempts: number;
  isPending: boolean;
  /** when its process turned to it; set for the first unanswered call, kept while its promise is awaited */
  startedAt: number | undefined;
}

interface History extends Replay {
  readonly actions: string[];
  /** number of the process that has it */
  generation: number;
}

const { folder, childFile, env, maxMemoryBytes, calls, syncReplies, syncCount } = workerData as RelayStart;
/** in the order in which the process takes them */
const pending = new Map<number, Pending>();
const histories = new Map<number, History>();
let child: ChildProcess | undefined;
let generation = 0;
let isReady = false;
let startedAt = 0;
let timer: NodeJS.Timeout | undefined;
let lastMemoryCheck = 0;
let outbox: Pending[] = [];

calls.on('message', (message: Call | 'dispose') => {
  if (message === 'dispose') {
    child?.kill('SIGKILL');
    calls.close();
    return process.exit(0);
  }
  const call: Pending = { ...message, attempts: 0, isPending: false, startedAt: undefined };
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
    // what a plugin prints never mixes with what Espalier prints for programs
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
    endChild('exit', `its process ended by itself (${how}); the plugin must not end its process`);
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

/** Calls of one turn of the event loop travel in one message. */
function post(call: Pending): void {
  if (outbox.length === 0) queueMicrotask(flush);
  outbox.push(call);
}

function flush(): void {
  const ready = outbox;
  outbox = [];
  if (!isReady || child === undefined || !child.connected) return;
  child.send(
    ready.map(({ id, question }) => ({
      id,
      question: question.op === 'instance' ? withReplay(question) : question,
    })),
  );
  startClock();
}

/** The process works on the first call that it has neither answered nor put off; only that one's clock runs. */
function startClock(): void {
  const first = head();
  if (first !== undefined) first.startedAt ??= performance.now();
}

function head(): Pending | undefined {
  for (const call of pending.values()) if (!call.isPending) return call;
  return undefined;
}

function withReplay(question: InstanceQuestion): InstanceQuestion {
  const history = histories.get(question.instance);
  if (history === undefined || history.generation === generation || question.hook === 'close')
    return question;
  history.generation = generation;
  if (question.hook === 'reset') return question;
  const { seeds, snapshot, actions } = history;
  return { ...question, replay: { seeds, actions, ...(snapshot === undefined ? {} : { snapshot }) } };
}

function remember({ question }: Call): void {
  if (question.op !== 'instance') return;
  const { instance, hook, args } = question;
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

/** Ends what takes too long or too much. */
function check(): void {
  const now = performance.now();
  if (!isReady) {
    if (now - startedAt > loadLimitMs)
      endChild('timeout', `its package did not load within ${loadLimitMs} ms`);
    return;
  }
  const first = head();
  if (first !== undefined) {
    if (now - (first.startedAt ?? now) > first.limitMs) endChild('timeout', lateness(first));
  } else {
    const late = [...pending.values()].find((call) => now - (call.startedAt ?? now) > call.limitMs);
    if (late !== undefined) finish({ id: late.id, ended: 'timeout', finding: lateness(late) });
  }
  if (now - lastMemoryCheck > 100) checkMemory(now);
}

const lateness = ({ limitMs }: Call): string =>
  `did not end within ${limitMs} ms; make it faster or raise callTimeoutMs`;

function checkMemory(now: number): void {
  lastMemoryCheck = now;
  const used = residentBytes();
  if (used <= maxMemoryBytes) return;
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  endChild(
    'exit',
    `its process used ${mebibytes(used)} of memory; at most ${mebibytes(maxMemoryBytes)} are allowed`,
  );
}

/** Memory of the process where the system tells it (Linux), else 0. */
function residentBytes(): number {
  try {
    const status = readFileSync(`/proc/${child?.pid}/status`, 'utf8');
    return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Ends the process for the call it works on; the others go on in a new one. */
function endChild(ended: 'timeout' | 'exit', finding: string): void {
  const first = head();
  dropChild();
  const guilty = first === undefined || !first.startedAt ? [...pending.values()] : [first];
  for (const { id } of guilty) finish({ id, ended, finding });
  for (const call of [...pending.values()]) {
    // a call that never had its turn is not to blame, however often others end the process
    const attempts = call.attempts + (call.isPending ? 1 : 0);
    Object.assign(call, { isPending: false, startedAt: undefined, attempts });
    if (call.attempts < maxAttempts) continue;
    finish({
      id: call.id,
      ended: 'exit',
      finding: `its process was ended ${maxAttempts} times because of other calls`,
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

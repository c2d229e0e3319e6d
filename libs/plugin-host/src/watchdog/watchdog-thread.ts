/**
 * @file The watchdog's thread. Node hands signals to the main thread alone, which a plugin that never returns keeps
 * busy; so this thread listens for them itself, and ends the process through the debugger, which can interrupt a loop.
 * Started with --expose-internals for the former. Where a version of Node lacks that, the process still ends: its own
 * listeners are taken off, and the system's way with signals is back.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Session } from 'node:inspector';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

interface Given {
  readonly memory: Int32Array;
  /** when a call is said to be stuck */
  readonly patienceMs: number;
  readonly exitCode: number;
}

interface SignalHandle {
  onsignal: () => void;
  start(signal: number): number;
}

const { memory, patienceMs, exitCode } = workerData as Given;
let labels: readonly string[] = [];
let seen = { calls: -1, since: 0 };
let [isTold, isWanted, isEnding] = [false, false, false];

parentPort?.on('message', (told: readonly string[]) => void (labels = told));
const hearsSignals = listen(() => {
  isWanted = true;
  check();
});
setInterval(check, Math.min(500, patienceMs / 4));

/** Looks whether the same call is still under way. */
function check(): void {
  const [place = 0, calls = 0] = memory;
  const now = performance.now();
  if (place === 0 || calls !== seen.calls) {
    seen = { calls, since: now };
    [isTold, isWanted] = [false, isWanted && place !== 0];
    return;
  }
  if (now - seen.since < patienceMs) return;
  const name = labels[place - 1] ?? 'a plugin';
  if (!isTold) {
    isTold = true;
    say(
      `note: ${name} has not returned for ${Math.round((now - seen.since) / 1000)} s; Ctrl-C or SIGTERM ends the run`,
    );
    if (!hearsSignals)
      interruptMain(`for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)`);
  }
  if (isWanted && !isEnding) end(name);
}

/** Ends the process as an interrupted run ends; a run goes on from its newest checkpoint. */
function end(name: string): void {
  isEnding = true;
  // code that never yields to the debugger either, such as a wait inside the system, leaves only this
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20_000);
  const quiet = `const fs = process.getBuiltinModule('fs'); fs.closeSync(2); fs.openSync('/dev/null', 'w');`;
  interruptMain(`(() => { ${quiet} process.exit(${exitCode}); })()`, (place) =>
    say(
      `error plugin.timeout: ${name} never returned${place}; the run ends where it is, --resume goes on from its newest checkpoint`,
    ),
  );
}

/** Interrupts the main thread wherever it is, and evaluates an expression there. */
function interruptMain(expression: string, before: (place: string) => void = () => undefined): void {
  const session = new Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
    if (url.startsWith('file:')) files.set(scriptId, fileURLToPath(url));
  });
  session.once('Debugger.paused', ({ params: { callFrames } }) => {
    const [top] = callFrames;
    if (top === undefined) return session.disconnect();
    // above it may be functions of Node
    const frame = callFrames.find(({ location }) => files.has(location.scriptId));
    before(
      frame === undefined
        ? ''
        : ` (now at ${files.get(frame.location.scriptId)}:${frame.location.lineNumber + 1})`,
    );
    const asked = { callFrameId: top.callFrameId, expression };
    session.post('Debugger.evaluateOnCallFrame', asked, () => session.disconnect());
  });
  session.post('Debugger.enable', () => session.post('Debugger.pause'));
}

function listen(onSignal: () => void): boolean {
  try {
    const { internalBinding } = createRequire(import.meta.url)('internal/test/binding') as {
      internalBinding(name: 'signal_wrap'): { readonly Signal: new () => SignalHandle };
    };
    const { Signal } = internalBinding('signal_wrap');
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const handle = new Signal();
      handle.onsignal = onSignal;
      handle.start(constants.signals[name]);
    }
    return true;
  } catch {
    return false;
  }
}

function say(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // nobody reads any more
  }
}

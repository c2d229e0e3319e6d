/**
 * @file The watchdog thread. Node delivers signals to the main thread only, which a plugin that never returns keeps
 * busy; so this thread listens for them itself (hence --expose-internals) and ends the process through the debugger,
 * which can interrupt a loop. In Node versions without those internals the process still ends: the listeners are removed,
 * which restores the system's default signal handling.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Session } from 'node:inspector';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

interface WorkerData {
  readonly memory: Int32Array;
  /** how long a call may take before it is reported */
  readonly reportAfterMs: number;
  /** undefined: signals end the process by themselves */
  readonly exitCode: number | undefined;
}

interface SignalHandle {
  onsignal: () => void;
  start(signal: number): number;
}

const { memory, reportAfterMs, exitCode } = workerData as WorkerData;
let labels: readonly string[] = [];
let seen = { calls: -1, since: 0 };
let isReported = false;
let isExitRequested = false;
let isExiting = false;

parentPort?.on('message', (current: readonly string[]) => void (labels = current));
const receivesSignals =
  exitCode !== undefined &&
  listen(() => {
    isExitRequested = true;
    check();
  });
setInterval(check, Math.min(500, reportAfterMs / 4));

/** Checks whether the same call is still running. */
function check(): void {
  const [index = 0, calls = 0] = memory;
  const now = performance.now();
  if (index === 0 || calls !== seen.calls) {
    seen = { calls, since: now };
    isReported = false;
    isExitRequested = isExitRequested && index !== 0;
    return;
  }
  if (now - seen.since < reportAfterMs) return;
  const name = labels[index - 1] ?? 'a plugin';
  if (!isReported) {
    isReported = true;
    print(
      `note: ${name} has not returned for ${Math.round((now - seen.since) / 1000)} s; Ctrl-C or SIGTERM ends the run`,
    );
    if (exitCode !== undefined && !receivesSignals)
      interruptMain(`for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)`);
  }
  if (isExitRequested && !isExiting) end(name);
}

/** Ends the process the way an interrupted run ends; the run can resume from its newest checkpoint. */
function end(name: string): void {
  isExiting = true;
  // last resort for code that the debugger cannot interrupt either, such as a blocking system call
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20_000);
  const quiet = `const fs = process.getBuiltinModule('fs'); fs.closeSync(2); fs.openSync('/dev/null', 'w');`;
  let isPrinted = false;
  const interrupt = (): void =>
    interruptMain(`(() => { ${quiet} process.exit(${exitCode}); })()`, (place) => {
      if (isPrinted) return;
      isPrinted = true;
      print(
        `error plugin.timeout: ${name} never returned${place}; the run stops here, --resume continues from its newest checkpoint`,
      );
    });
  interrupt();
  // a pause outside JavaScript has no frame to evaluate in
  setInterval(interrupt, 4_000);
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
    // frames above it may be Node's own
    const frame = callFrames.find(({ location }) => files.has(location.scriptId));
    before(
      frame === undefined
        ? ''
        : ` (now at ${files.get(frame.location.scriptId)}:${frame.location.lineNumber + 1})`,
    );
    const request = { callFrameId: top.callFrameId, expression };
    session.post('Debugger.evaluateOnCallFrame', request, () => session.disconnect());
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

function print(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // stderr is closed
  }
}

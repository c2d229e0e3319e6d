/** @file One thread of a sandbox, seen from the host: starts it, gives it jobs, keeps the time, ends it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Answer, Job, Language, Message, WorkerStart } from './job.js';
import { createTally, type Tally } from './tally.js';
import type { WasmModule } from './web-assembly.js';

/** What became of a program. */
export interface ProgramResult {
  /** why it could not be read */
  readonly loadError?: string;
  /** of the calls that were answered, in order; the others have none */
  readonly answers: readonly Answer[];
  readonly printed: string;
  /** `cut_off`: it did not end in time, while it was read or in the call after the last answer */
  readonly end: 'finished' | 'exited' | 'crashed' | 'cut_off';
}

/** An interpreter that is not up after so long does not come up. */
const startLimitMs = 60_000;

type State = 'starting' | 'up' | 'running' | 'closed';

export class Lane {
  private state: State = 'starting';
  private readonly bell = new Int32Array(new SharedArrayBuffer(4));
  private readonly port: MessagePort;
  private readonly worker: Worker;
  private failure: Error | undefined;
  private tally: Tally | undefined;
  /** called when something has changed */
  private changed: () => void = () => undefined;

  constructor(
    private readonly language: Language,
    module: WasmModule,
    private readonly memoryBytes: number,
    private readonly gone: () => void,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const start: WorkerStart = {
      language,
      module,
      memoryBytes,
      port: port2,
      signal: this.bell.buffer as SharedArrayBuffer,
    };
    this.worker = new Worker(builtFile('worker.js'), {
      workerData: start,
      transferList: [port2],
      execArgv: [],
      env: {},
      // of the thread's own heap; the memory of the program is in its WASM instance
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
    });
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('its thread ended')));
    this.port.on('message', (message: Message) => this.take(message));
    this.hold(false);
  }

  fits(language: Language, memoryBytes: number): boolean {
    return this.language === language && this.memoryBytes === memoryBytes;
  }

  isUsable(): boolean {
    return this.state !== 'closed' && this.failure === undefined;
  }

  /**
   * Runs a program; its time counts from when the interpreter is up and has the job.
   *
   * @throws where the interpreter does not come up
   */
  async run(job: Job, timeMs: number): Promise<ProgramResult> {
    this.hold(true);
    try {
      await this.until(() => this.state === 'up', startLimitMs);
      if (this.state !== 'up')
        throw this.failure ?? new Error(`it was not up after ${startLimitMs / 1000} s`);
      const tally = createTally(job.calls.length, timeMs);
      this.tally = tally;
      this.state = 'running';
      this.port.postMessage(job);
      Atomics.store(this.bell, 0, 1);
      Atomics.notify(this.bell, 0);
      await this.until(() => tally.isEnded(), timeMs);
      const isOver = !tally.isEnded();
      if (isOver && this.failure === undefined) await this.close();
      return tally.result(this.failure === undefined ? 'cut_off' : 'crashed');
    } finally {
      this.tally = undefined;
      this.hold(false);
    }
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.port.close();
    await this.worker.terminate();
    this.gone();
  }

  /** Waits for a condition, a failure, or the time to pass; messages that already lie at the port count. */
  private async until(holds: () => boolean, limitMs: number): Promise<void> {
    if (holds() || this.failure !== undefined) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.changed = () => undefined;
        resolve();
      };
      const timer = setTimeout(() => {
        // the timer may be late, and these may have come in time
        for (let next = receiveMessageOnPort(this.port); next; next = receiveMessageOnPort(this.port))
          this.take(next.message as Message);
        finish();
      }, limitMs);
      this.changed = () => {
        if (holds() || this.failure !== undefined) finish();
      };
    });
  }

  /** Takes a message where it fits what goes on, each change of state once. */
  private take(message: Message): void {
    if (message.kind === 'up') {
      if (this.state === 'starting') this.state = 'up';
    } else if (this.state === 'running' && this.tally !== undefined) {
      this.tally.add(message);
      if (this.tally.isEnded()) this.state = 'starting';
    }
    this.changed();
  }

  private fail(error: Error): void {
    if (this.state === 'closed') return;
    this.failure ??= error;
    this.changed();
  }

  /** Whether the thread keeps the process alive. */
  private hold(isHeld: boolean): void {
    if (this.state === 'closed') return;
    if (isHeld) {
      this.worker.ref();
      this.port.ref();
    } else {
      this.worker.unref();
      this.port.unref();
    }
  }
}

/** Threads need compiled files, even when this file runs from source. */
function builtFile(name: string): string {
  const sibling = fileURLToPath(new URL(name, import.meta.url));
  return existsSync(sibling)
    ? sibling
    : fileURLToPath(new URL(`../../dist/sandbox/${name}`, import.meta.url));
}

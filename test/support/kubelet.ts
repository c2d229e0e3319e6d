/**
 * @file What a kubelet does with the container of a pod, by a process of this machine in place of a container: it gives it its
 * variables, passes SIGTERM on, kills it after the grace period, and reports how it ended.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly { readonly secretRef?: { readonly name?: string } }[];
}

/** What an image gives a container. */
export interface Image {
  /** runs before `args` where the container has no command of its own */
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason: 'Completed' | 'Error' | 'StartError';
}

const signals: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };
/** as much a kubelet leaves a container at least, s */
const shortestGrace = 1;

/** A container that runs. What its first process leaves behind ends with it. */
export class ContainerProcess {
  readonly #child: ChildProcess;
  readonly #folder: string | undefined;
  #killer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param secrets that its `envFrom` names, in their order */
  constructor(
    { command = [], args = [], env = [] }: Container,
    { entrypoint = [], environment = {}, folder }: Image,
    secrets: readonly Readonly<Record<string, string>>[],
    onEnd: (ended: Terminated) => void,
  ) {
    this.#folder = folder;
    const [program = '', ...words] = [...(command.length > 0 ? command : entrypoint), ...args];
    const own = env.map(({ name, value = '' }) => ({ [name]: value }));
    this.#child = spawn(program, words, {
      stdio: 'ignore',
      detached: true,
      env: Object.assign({ PATH: process.env['PATH'] }, environment, ...secrets, ...own) as NodeJS.ProcessEnv,
      ...(folder !== undefined && { cwd: folder }),
    });
    const end = (ended: Terminated): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      clearTimeout(this.#killer);
      this.#signal('SIGKILL');
      onEnd(ended);
    };
    this.#child.once('exit', (code, signal) => {
      const exitCode = code ?? 128 + (signals[signal ?? ''] ?? 0);
      end({ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' });
    });
    this.#child.once('error', () => end({ exitCode: 128, reason: 'StartError' }));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Asks it to end, and kills it when it has not ended after the grace period. */
  stop(graceSeconds: number): void {
    if (this.#isOver) return;
    this.#child.kill('SIGTERM');
    clearTimeout(this.#killer);
    this.#killer = setTimeout(() => this.kill(), Math.max(shortestGrace, graceSeconds) * 1000).unref();
  }

  /** Kills all of its processes. */
  kill(): void {
    if (!this.#isOver) this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch {
      // all of them have ended
    }
    if (signal === 'SIGKILL' && this.#folder !== undefined) killIn(this.#folder);
  }
}

/** Kills the processes that name a folder in their words or variables, such as those with a session of their own. */
function killIn(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const texts = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
      if (texts.some((text) => text.includes(folder))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // it has ended
    }
  }
}

/** The texts of a Secret. */
export const decodeSecret = (data: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
  );

/** The status of a pod whose container runs. */
export const runningStatus = ({ name = 'worker', image = '' }: Container) => ({
  phase: 'Running',
  conditions: [
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', status: 'True' },
    { type: 'ContainersReady', status: 'True' },
  ],
  containerStatuses: [
    { name, image, imageID: '', ready: true, restartCount: 0, state: { running: { startedAt: now() } } },
  ],
});

/** The status of a pod whose container has ended. */
export const endedStatus = ({ name = 'worker', image = '' }: Container, ended: Terminated) => {
  const phase = ended.exitCode === 0 ? 'Succeeded' : 'Failed';
  const reason = ended.exitCode === 0 ? 'PodCompleted' : 'PodFailed';
  const state = { terminated: { ...ended, finishedAt: now() } };
  return {
    phase,
    conditions: [
      { type: 'Ready', status: 'False', reason },
      { type: 'ContainersReady', status: 'False', reason },
    ],
    containerStatuses: [{ name, image, imageID: '', ready: false, restartCount: 0, state }],
  };
};

/** Times of a status are in whole seconds. */
const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

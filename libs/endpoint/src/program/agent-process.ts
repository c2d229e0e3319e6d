/** @file The program of an agent: started in a group of its own, its last words kept, ended with all it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { AgentProgram } from '@espalier/plugin-kit';
import { guardGroup, releaseGroup } from './orphan-guard.js';

/** Characters of its output that are kept. */
const lastWords = 600;
/** How long a program may take to end by itself once its session has ended, in milliseconds. */
const graceMs = 2000;

const running = new Set<ChildProcess>();
let isWatching = false;

export class AgentProcess {
  /** settles when the program has ended or could not be started; says how */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #words = '';

  constructor(
    { command = [], folder, environment }: Pick<AgentProgram, 'command' | 'folder' | 'environment'>,
    variables: Readonly<Record<string, string>>,
  ) {
    const [program = '', ...words] = command;
    this.#child = spawn(program, words, {
      ...(folder === undefined ? {} : { cwd: folder }),
      env: { ...process.env, ...environment, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    endWithThisProcess(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#words = (this.#words + text.slice(-lastWords)).slice(-lastWords);
      });
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        leave(this.#child);
        resolve(`the program could not be started (${error.message}); check the command and its folder`);
      });
      this.#child.once('close', (code, signal) => {
        leave(this.#child);
        const how = code === null ? `signal ${signal}` : `code ${code}`;
        const words = this.#words.trim();
        resolve(
          `the program ended with ${how}${words === '' ? '' : `; its last words: ${JSON.stringify(words)}`}`,
        );
      });
    });
  }

  /** Waits until it has ended, and then no longer. */
  async finish(): Promise<void> {
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.ended;
    clearTimeout(timer);
    // what it has started, and has left behind
    this.kill();
  }

  kill(): void {
    killGroup(this.#child);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // nobody is left
  }
}

/** It has ended; what it started and left behind is ended by {@link AgentProcess.finish}. */
function leave(child: ChildProcess): void {
  running.delete(child);
  if (child.pid !== undefined) releaseGroup(child.pid);
}

/** A group of its own would outlive this process. */
function endWithThisProcess(child: ChildProcess): void {
  running.add(child);
  if (child.pid !== undefined) guardGroup(child.pid);
  if (isWatching) return;
  isWatching = true;
  process.once('exit', () => {
    for (const one of running) killGroup(one);
  });
}

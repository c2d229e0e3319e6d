/** @file The process of a server: started in a group of its own, its last words kept, ended with all it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { groupOf, holdGroup } from './keeper.js';

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Characters of its error output that are kept. */
const lastWords = 400;
/** How long a server may take to end once its input has ended. */
const graceMs = 300;

/** Variables that a server gets without being named, those of the official clients. */
const inherited =
  'HOME LOGNAME PATH SHELL TERM USER APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE'.split(
    ' ',
  );

export class ServerProcess {
  readonly child: ChildProcess;
  /** settles when the process has ended or could not be started; says how */
  readonly ended: Promise<string>;
  #words = '';
  #finding: string | undefined;

  constructor({ command, args, environment, cwd }: ProcessOptions) {
    const env: Record<string, string> = {};
    for (const name of inherited) {
      const value = process.env[name];
      if (value !== undefined) env[name] = value;
    }
    this.child = spawn(command, [...args], {
      cwd,
      env: { ...env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const { pid } = this.child;
    const release = pid === undefined ? undefined : holdGroup(pid);
    this.child.stdin?.on('error', () => undefined);
    this.child.stdout?.on('error', () => undefined);
    this.child.stderr?.on('error', () => undefined);
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#words = (this.#words + text.slice(-lastWords)).slice(-lastWords);
    });
    this.ended = new Promise((resolve) => {
      const finish = (finding: string): void => {
        this.#finding ??= finding;
        resolve(this.describe(this.#finding));
      };
      this.child.once('error', (error) => {
        release?.();
        finish(`the process could not be started (${error.message})`);
      });
      this.child.once('exit', (code, signal) => {
        // whatever it started ends with it
        this.#kill();
        release?.();
        const finding = `its process ended with ${code === null ? `signal ${signal}` : `code ${code}`}`;
        // what it said last may still be in the pipe
        const timer = setTimeout(() => finish(finding), 200);
        this.child.once('close', () => {
          clearTimeout(timer);
          finish(finding);
        });
      });
    });
  }

  /** A finding with the last words of the server. */
  describe(finding: string): string {
    const words = this.#words.trim();
    return words === '' ? finding : `${finding}; its last words: ${JSON.stringify(words)}`;
  }

  /** Ends it: first its input, then all of its group. */
  async stop(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.pid === undefined) return;
    const timer = setTimeout(() => this.#kill(), graceMs);
    await this.ended;
    clearTimeout(timer);
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  #kill(): void {
    try {
      if (this.child.pid !== undefined) process.kill(groupOf(this.child.pid), 'SIGKILL');
    } catch {
      // nobody is left
    }
  }
}

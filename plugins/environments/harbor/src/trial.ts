/** @file One run of a task: its sandbox is built, commands are run in it, and its tests give the reward. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  cpSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '@espalier/plugin-kit';
import { chooseReward, parseRewards } from './reward.js';
import { type CommandResult, Sandbox } from './sandbox/sandbox.js';
import type { BuildStep } from './task/dockerfile.js';
import { type Task, workdirOf } from './task/task.js';

export interface TrialOptions {
  readonly network: boolean;
  /** name of the reward, where tests give several */
  readonly reward: string;
}

/** What tests came to; a trial whose tests gave no reward has 0. */
export interface Verdict {
  readonly reward: number;
  /** why there was no reward */
  readonly failure: string | undefined;
  /** what the tests printed */
  readonly output: string;
}

/** Time limit of a step of a Dockerfile. */
const buildMs = 60_000;
/** Bytes of a file of results that are read. */
const maxResult = 200_000;
/** A summary of files looks at so many, and into those of at most so many bytes. */
const maxFiles = 5000;
const maxRead = 2 ** 20;

export class Trial {
  readonly #sandbox: Sandbox;

  private constructor(
    readonly task: Task,
    readonly options: TrialOptions,
  ) {
    const { memory_mb: memoryMb, storage_mb: storageMb } = task.config.environment;
    this.#sandbox = new Sandbox({ memoryMb, storageMb, network: options.network }, [workdirOf(task)]);
  }

  /** Builds the sandbox of a task. @throws plugin.failed where that fails */
  static async open(task: Task, options: TrialOptions): Promise<Trial> {
    const trial = new Trial(task, options);
    try {
      for (const step of task.build.steps) await trial.#build(step);
      return trial;
    } catch (error) {
      trial.close();
      throw error;
    }
  }

  async #build(step: BuildStep): Promise<void> {
    if (step.kind === 'folder') mkdirSync(this.#sandbox.place(step.path), { recursive: true });
    else if (step.kind === 'copy') this.#copy(step);
    else {
      const { command, folder, line } = step;
      const { status, output } = await this.run(command, buildMs, folder);
      if (status !== 0)
        throw refuse(
          this.task,
          `line ${line} of its Dockerfile ${status === undefined ? 'did not end' : `ended with ${status}`}: ${lastOf(output)}; it needs a container, or what it lacks on this machine`,
        );
    }
  }

  #copy({ sources, target }: BuildStep & { kind: 'copy' }): void {
    const place = this.#sandbox.place(target);
    for (const source of sources) {
      const from = join(this.task.folder, 'environment', source);
      const isFolder = lstatSync(from).isDirectory();
      const intoFolder =
        target.endsWith('/') || lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
      const to = !isFolder && intoFolder ? join(place, basename(from)) : place;
      mkdirSync(dirname(to), { recursive: true });
      // a link that a RUN line made would lead to this machine's files
      if (!realpathSync(dirname(to)).startsWith(realpathSync(this.#sandbox.place('/'))))
        throw refuse(this.task, `COPY to ${target} leaves its sandbox through a link`);
      cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    }
  }

  /** Runs a command as the agent does. */
  run(command: string, timeoutMs: number, folder = workdirOf(this.task)): Promise<CommandResult> {
    const { build, variables } = this.task;
    return this.#sandbox.run({
      command,
      folder,
      variables: { ...build.variables, ...variables.environment },
      timeoutMs,
    });
  }

  /** Runs the solution, as Harbor's oracle does. */
  async solve(): Promise<CommandResult> {
    const { config } = this.task;
    return this.#script(
      'solution',
      'solve.sh',
      'agent/oracle.txt',
      1000 * (config.agent.timeout_sec ?? 3600),
    );
  }

  /** Runs the tests, and reads the reward that they leave in a folder that no command before them could write to. */
  async verify(): Promise<Verdict> {
    const { timeout_sec: seconds } = this.task.config.verifier;
    const results = this.#sandbox.renewResults();
    const { status } = await this.#script('tests', 'test.sh', 'verifier/test-stdout.txt', 1000 * seconds);
    const [json, text, output = ''] = ['reward.json', 'reward.txt', 'test-stdout.txt'].map((name) =>
      readResult(join(results, name)),
    );
    const none = (failure: string): Verdict => ({ reward: 0, failure, output });
    if (status === undefined) return none(`the tests did not end within ${seconds} s`);
    const rewards = parseRewards(json, text);
    if (typeof rewards === 'string') return none(rewards);
    const reward = chooseReward(rewards, this.options.reward);
    return typeof reward === 'string' ? none(reward) : { reward, failure: undefined, output };
  }

  #script(
    part: 'tests' | 'solution',
    script: string,
    log: string,
    timeoutMs: number,
  ): Promise<CommandResult> {
    const { task } = this;
    const place = this.#sandbox.place(`/${part}`);
    cpSync(join(task.folder, part), place, { recursive: true, verbatimSymlinks: true });
    const path = `/${part}/${script}`;
    return this.#sandbox.run({
      command: `chmod +x ${path}; (${path}) > /logs/${log} 2>&1`,
      folder: workdirOf(task),
      variables: {
        ...task.build.variables,
        ...task.variables.environment,
        DEBIAN_FRONTEND: 'noninteractive',
        ...task.variables[part === 'tests' ? 'verifier' : 'solution'],
      },
      timeoutMs,
    });
  }

  /** A hash of the files that an agent works on: names, modes and contents, where this process may read them. */
  summarize(): string {
    const hash = createHash('sha256');
    let files = 0;
    const walk = (path: string, name: string): void => {
      if (++files > maxFiles) return;
      try {
        const stats = lstatSync(path, { throwIfNoEntry: false });
        if (stats === undefined) return;
        hash.update(JSON.stringify([name, stats.mode, stats.isDirectory() ? 0 : stats.size]));
        if (stats.isSymbolicLink()) hash.update(readlinkSync(path));
        else if (stats.isDirectory()) {
          for (const inner of readdirSync(path).sort()) walk(join(path, inner), `${name}/${inner}`);
        } else if (stats.isFile() && stats.size <= maxRead) hash.update(readFileSync(path));
      } catch {
        // a command took its permissions away, or its path is too long for this machine
        hash.update(JSON.stringify([name, 'unreadable']));
      }
    };
    for (const top of this.#sandbox.tops) walk(this.#sandbox.place(`/${top}`), top);
    return hash.digest('base64url');
  }

  close(): void {
    this.#sandbox.close();
  }
}

/** The text of a file that tests wrote; undefined where there is none, or a link, which could lead to this machine's files. */
function readResult(path: string): string | undefined {
  let file: number;
  try {
    // a pipe without a writer would not open
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const bytes = Buffer.alloc(maxResult);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, maxResult, 0));
  } finally {
    closeSync(file);
  }
}

/** Tasks whose solution has passed in this process, with what decides whether it does. */
const proven = new Set<string>();

/** Tries a task once in a process: its tests must tell the solution from nothing done. @throws plugin.failed where they do not */
export async function proveOnce(
  task: Task,
  options: TrialOptions & { readonly successReward: number },
): Promise<void> {
  const key = JSON.stringify([task, options]);
  if (proven.has(key)) return;
  const idle = await judge(task, options, async () => undefined);
  if (idle.failure === undefined && idle.reward >= options.successReward)
    throw refuse(
      task,
      `its tests give ${idle.reward} when nothing was done; mend them, or raise successReward`,
    );
  if (task.hasSolution) {
    const { reward, failure, output } = await judge(task, options, async (trial) => {
      const { status } = await trial.solve();
      if (status === undefined) throw refuse(task, 'its solution did not end in time');
    });
    if (failure !== undefined || reward < options.successReward)
      throw refuse(
        task,
        `its own solution gets ${failure ?? `a reward of ${reward}`} in this sandbox; tests printed: ${lastOf(output)}; install what they need on this machine, or leave the task out`,
      );
  }
  proven.add(key);
}

async function judge(
  task: Task,
  options: TrialOptions,
  act: (trial: Trial) => Promise<void>,
): Promise<Verdict> {
  const trial = await Trial.open(task, options);
  try {
    await act(trial);
    return await trial.verify();
  } finally {
    trial.close();
  }
}

const refuse = (task: Task, finding: string): AppError =>
  new AppError('plugin.failed', `try task "${task.name}" (${task.folder}): ${finding}`, {
    details: { task: task.name },
  });

const lastOf = (output: string): string => JSON.stringify(output.trim().slice(-300));

/**
 * @file The process of an attempt: started or found again, waited for, asked to stop, killed. Whether it is alive and how
 * it ended comes from the operating system and from files, because a restarted worker is not its parent.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ExitStatus,
  findLaunched,
  findAttemptProcesses,
  launch,
  type LaunchPlan,
  readExitStatus,
} from './launch.js';
import {
  isGroupAlive,
  isAlive,
  killProcess,
  type ProcessIdentity,
  signalGroup,
  startOf,
} from '@espalier/files';
import type { WorkerOptions } from '../worker-options.js';
import type { AttemptFolder, AttemptState } from './attempt-folder.js';
import { createMemoryWatch } from './memory-limit.js';

/** What the server asks for; `drain` stops like `pause`, so that the job continues on another worker. */
export type ControlAction = 'pause' | 'cancel' | 'kill' | 'drain';

export interface TrainerProcess {
  /** Starts it and saves its id before anything else. */
  start(plan: LaunchPlan): Promise<ProcessIdentity>;
  /** Finds the process if an earlier worker started it. */
  find(): ProcessIdentity | undefined;
  /** Whether it was started, even if that could not be saved; it may have ended since. */
  wasStarted(): boolean;
  /** Resolves when it and all its descendants have ended. */
  waitForEnd(signal: AbortSignal): Promise<ExitStatus>;
  /**
   * Asks it to save and stop, or kills it; may be repeated.
   *
   * @throws if the signal was sent but the request could not be saved
   */
  request(action: Exclude<ControlAction, 'drain'>): void;
  /**
   * Asks it to save and stop; from `killAt` on (ms since the epoch) it is killed.
   *
   * @param isPatient lets it run until then, because it saves nothing
   * @throws like `request`
   */
  drain(killAt: number, isPatient: boolean): void;
  /** The last request. */
  requested(): ControlAction | undefined;
  /** Aborted by the first request; what prepares the process ends with it. */
  readonly asked: AbortSignal;
  /** Kills it and waits until none of its processes is left. */
  kill(): Promise<void>;
}

/**
 * Creates the handle of an attempt's process.
 *
 * @param onSlow called once if it is still running long after a request to pause, which never becomes a kill
 * @param memoryMb limit on the memory of it and its children, MiB; 0: none
 */
export function createTrainerProcess(
  folder: AttemptFolder,
  timing: WorkerOptions['timing'],
  onSlow: (waitedMs: number) => void = () => undefined,
  memoryMb = 0,
): TrainerProcess {
  // kept in memory too, because a full disk prevents saving
  let launched: ProcessIdentity | undefined;
  let last = folder.state().requested;
  const asked = new AbortController();
  const endPreparation = (): void => asked.abort(new Error('stopped on request before it started'));
  if (last !== undefined) endPreparation();
  const known = (): ProcessIdentity | undefined => folder.state().living ?? launched;
  const runningProcess = (): ProcessIdentity | undefined => {
    const living = known();
    return living !== undefined && isAlive(living) ? living : undefined;
  };
  /** @returns whether there was a process */
  const signal = (name: NodeJS.Signals): boolean => {
    const living = runningProcess();
    if (living !== undefined) signalGroup(living.pid, name);
    return living !== undefined;
  };
  const memory = createMemoryWatch(memoryMb);
  /** Saves why the process is about to be killed, because the worker may end at any time. */
  const hasExceeded = (): boolean => {
    const exceeded = memory.exceededBy(known()?.pid);
    if (exceeded !== undefined) folder.update({ exceeded });
    return exceeded !== undefined;
  };
  /** Interrupts it once, as a second SIGINT would end it immediately, without saving; then saves the request. */
  const ask = (request: NonNullable<AttemptState['requested']>, isPatient: boolean): void => {
    const wasTold = last !== undefined && last.isTold !== false;
    const isTold = wasTold || (!isPatient && signal('SIGINT'));
    last = { ...request, isTold };
    endPreparation();
    folder.update({ requested: last });
  };
  const warnIfSlow = createSlowWarning(timing.graceMs, onSlow);
  return {
    async start(plan) {
      folder.update({ phase: 'launching' });
      launched = await launch(plan);
      folder.update({ phase: 'running', living: launched });
      return launched;
    },
    find() {
      const { living, phase } = folder.state();
      if (living !== undefined || phase !== 'launching') return living;
      launched ??= findLaunched(folder.exitFile);
      if (launched !== undefined) folder.update({ phase: 'running', living: launched });
      return launched;
    },
    wasStarted: () => known() !== undefined,
    async waitForEnd(stop) {
      while (runningProcess() !== undefined) {
        if (isOverdue(last, timing.graceMs) || hasExceeded()) signal('SIGKILL');
        warnIfSlow(last);
        await wait(timing.pollMs, undefined, { signal: stop });
      }
      await killLeftovers(folder.exitFile, known());
      return readExitStatus(folder.exitFile);
    },
    request(action) {
      const isKill = action === 'kill';
      if (isKill) signal('SIGKILL');
      // the server repeats its requests, and time counts from the first
      const at = last?.action === action ? last.at : Date.now();
      ask({ ...last, action, at }, isKill);
    },
    drain(killAt, isPatient) {
      ask({ action: last?.action ?? 'drain', at: last?.at ?? Date.now(), killAt }, isPatient);
    },
    requested: () => last?.action,
    asked: asked.signal,
    async kill() {
      for (let tries = 0; runningProcess() !== undefined && tries < 200; tries += 1) {
        signal('SIGKILL');
        await wait(25);
      }
      await killLeftovers(folder.exitFile, known());
    },
  };
}

/** An environment variable identifies processes that left the group, or whose shell was killed alone. */
async function killLeftovers(exitFile: string, living: ProcessIdentity | undefined): Promise<void> {
  for (const { pid } of findAttemptProcesses(exitFile)) killProcess(pid);
  // a killed process holds the lock of its run folder until the system has reaped it
  for (let tries = 0; living !== undefined && isOwnGroupLiving(living) && tries < 400; tries += 1) {
    signalGroup(living.pid, 'SIGKILL');
    await wait(25);
  }
}

/** Returns what calls `onSlow` once when a process has been asked to pause for longer than the grace. */
function createSlowWarning(graceMs: number, onSlow: (waitedMs: number) => void) {
  let isSlow = false;
  return (last: AttemptState['requested']): void => {
    if (isSlow || last?.action !== 'pause' || Date.now() - last.at <= graceMs) return;
    onSlow(Date.now() - last.at);
    isSlow = true;
  };
}

/** Tells whether a process should have stopped by now. */
function isOverdue(last: AttemptState['requested'], graceMs: number): boolean {
  if (last === undefined) return false;
  if (last.killAt !== undefined && Date.now() >= last.killAt) return true;
  if (last.action === 'pause' || last.action === 'drain') return false;
  return last.action === 'kill' || Date.now() - last.at > graceMs;
}

/** A group keeps its id until its last process ends; a later process with that id leads a different group. */
function isOwnGroupLiving({ pid, started }: ProcessIdentity): boolean {
  const leader = startOf(pid);
  return (leader === null || leader === started) && isGroupAlive(pid);
}

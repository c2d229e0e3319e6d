/**
 * @file The process of an attempt as the worker steers it: started or found again, waited for, asked to stop, killed.
 * Whether it lives and how it ended is read from the system and from files, never from being its parent.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Ending, findLaunched, findStarted, launch } from '../launch/launch.js';
import { type LaunchPlan, readEnding } from '../launch/launch.js';
import { isGroupLiving, isLiving, killOne, type Living, signalGroup, startOf } from '@espalier/telemetry';
import type { WorkerOptions } from '../worker-options.js';
import type { AttemptFolder } from './attempt-folder.js';

export type Request = 'pause' | 'cancel' | 'kill';

export interface TrainerProcess {
  /** Starts it; its number is noted before anything else happens. */
  start(plan: LaunchPlan): Promise<Living>;
  /** Finds the one that was started by an earlier worker, if it was. */
  find(): Living | undefined;
  /** It was started, though that may not be noted; whether it lives still is another question. */
  wasStarted(): boolean;
  /** Resolves when it and all it started have ended. */
  waitForEnd(signal: AbortSignal): Promise<Ending>;
  /** Asks it to save and stop, or kills it. @throws when it was told, but that could not be noted */
  ask(action: Request): void;
  /** What it was asked for last. */
  asked(): Request | undefined;
  /** Kills it and waits until nothing of it is left. */
  kill(): Promise<void>;
}

/**
 * Creates the reins of an attempt's process.
 *
 * @param onSlow told once when it has not stopped long after it was asked to pause, which never becomes a kill
 */
export function createTrainerProcess(
  folder: AttemptFolder,
  tempo: WorkerOptions['tempo'],
  onSlow: (waitedMs: number) => void = () => undefined,
): TrainerProcess {
  // kept here too, because on a full disk nothing can be noted
  let launched: Living | undefined;
  let request = folder.state().asked;
  let isSlow = false;
  const known = (): Living | undefined => folder.state().living ?? launched;
  const livingNow = (): Living | undefined => {
    const living = known();
    return living !== undefined && isLiving(living) ? living : undefined;
  };
  const signal = (name: NodeJS.Signals): void => {
    const living = livingNow();
    if (living !== undefined) signalGroup(living.pid, name);
  };
  /** Processes that left the group, or whose shell was killed alone, are known by a variable they were given. */
  const killLeftovers = async (): Promise<void> => {
    for (const { pid } of findStarted(folder.exitFile)) killOne(pid);
    // a killed process holds its run folder until the system has taken it apart
    const living = known();
    for (let tries = 0; living !== undefined && isOwnGroupLiving(living) && tries < 400; tries += 1) {
      signalGroup(living.pid, 'SIGKILL');
      await wait(25);
    }
  };
  const isOverdue = (): boolean => {
    if (request === undefined || request.action === 'pause') return false;
    return request.action === 'kill' || Date.now() - request.at > tempo.graceMs;
  };
  const tellIfSlow = (): void => {
    if (isSlow || request?.action !== 'pause' || Date.now() - request.at <= tempo.graceMs) return;
    onSlow(Date.now() - request.at);
    isSlow = true;
  };
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
      while (livingNow() !== undefined) {
        if (isOverdue()) signal('SIGKILL');
        tellIfSlow();
        await wait(tempo.pollMs, undefined, { signal: stop });
      }
      await killLeftovers();
      return readEnding(folder.exitFile);
    },
    ask(action) {
      const before = request;
      request = { action, at: Date.now() };
      // a second interrupt would end it at once, without saving
      if (action === 'kill') signal('SIGKILL');
      else if (before === undefined) signal('SIGINT');
      folder.update({ asked: request });
    },
    asked: () => request?.action,
    async kill() {
      for (let tries = 0; livingNow() !== undefined && tries < 200; tries += 1) {
        signal('SIGKILL');
        await wait(25);
      }
      await killLeftovers();
    },
  };
}

/** A group keeps its number until its last process ends; a later process of that number leads another group. */
function isOwnGroupLiving({ pid, started }: Living): boolean {
  const leader = startOf(pid);
  return (leader === null || leader === started) && isGroupLiving(pid);
}

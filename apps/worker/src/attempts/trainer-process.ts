/**
 * @file The process of an attempt as the worker steers it: started or found again, waited for, asked to stop, killed.
 * Whether it lives and how it ended is read from the system and from files, never from being its parent.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Ending, findLaunched, launch, type LaunchPlan, readEnding } from '../launch/launch.js';
import { findByCommandLine, isGroupLiving, isLiving, type Living, signalGroup } from '@espalier/telemetry';
import type { WorkerOptions } from '../worker-options.js';
import type { AttemptFolder } from './attempt-folder.js';

export interface TrainerProcess {
  /** Starts it; its number is noted before anything else happens. */
  start(plan: LaunchPlan): Promise<Living>;
  /** Finds the one that was started by an earlier worker, if it was. */
  find(): Living | undefined;
  /** Resolves when it and all it started have ended. */
  waitForEnd(signal: AbortSignal): Promise<Ending>;
  /** Asks it to save and stop, or kills it. */
  ask(action: 'pause' | 'cancel' | 'kill'): void;
  /** Kills it and waits until nothing of it is left. */
  kill(): Promise<void>;
}

/** Creates the reins of an attempt's process. */
export function createTrainerProcess(folder: AttemptFolder, tempo: WorkerOptions['tempo']): TrainerProcess {
  const livingNow = (): Living | undefined => {
    const { living } = folder.state();
    return living !== undefined && isLiving(living) ? living : undefined;
  };
  const signal = (name: NodeJS.Signals): void => {
    const living = livingNow();
    if (living !== undefined) signalGroup(living.pid, name);
  };
  /** Processes that left the group, or whose shell was killed alone, are known by the files on their command line. */
  const killLeftovers = async (): Promise<void> => {
    for (const { pid } of findByCommandLine(`${folder.path}/`)) signalOne(pid);
    // a killed process holds its run folder until the system has taken it apart
    const group = folder.state().living?.pid;
    for (let tries = 0; group !== undefined && isGroupLiving(group) && tries < 400; tries += 1)
      await wait(25);
  };
  const isOverdue = (): boolean => {
    const { asked } = folder.state();
    if (asked === undefined || asked.action === 'pause') return false;
    return asked.action === 'kill' || Date.now() - asked.at > tempo.graceMs;
  };
  return {
    async start(plan) {
      folder.update({ phase: 'launching' });
      const living = await launch(plan);
      folder.update({ phase: 'running', living });
      return living;
    },
    find() {
      const { living, phase } = folder.state();
      if (living !== undefined || phase !== 'launching') return living;
      const found = findLaunched(folder.exitFile);
      if (found !== undefined) folder.update({ phase: 'running', living: found });
      return found;
    },
    async waitForEnd(stop) {
      while (livingNow() !== undefined) {
        if (isOverdue()) signal('SIGKILL');
        await wait(tempo.pollMs, undefined, { signal: stop });
      }
      await killLeftovers();
      return readEnding(folder.exitFile);
    },
    ask(action) {
      const before = folder.state().asked;
      folder.update({ asked: { action, at: Date.now() } });
      // a second interrupt would end it at once, without saving
      if (action === 'kill') signal('SIGKILL');
      else if (before === undefined) signal('SIGINT');
    },
    async kill() {
      for (let tries = 0; livingNow() !== undefined && tries < 200; tries += 1) {
        signal('SIGKILL');
        await wait(25);
      }
      await killLeftovers();
    },
  };
}

function signalOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

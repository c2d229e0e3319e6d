/**
 * @file Identifies a process by its pid and start time: pids are reused, also after a reboot, so a pid alone is not
 * enough.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process, distinguished from later ones with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** its start time as the system reports it; null where unknown */
  readonly started: string | null;
}

const hasProc = existsSync('/proc/self/stat');

function readSystem(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Fields of /proc/<pid>/stat after the name in parentheses: the first is the state, the 20th the start time. */
const fieldsOf = (pid: number): readonly string[] | undefined => {
  const text = readSystem(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
};

let boot: string | undefined;
/** The boot id, which no process outlives, so it is read once. */
const bootOf = (): string => (boot ??= readSystem('/proc/sys/kernel/random/boot_id')?.trim() ?? '');

/** The start time in these fields; null without fields. */
const startIn = (fields: readonly string[] | undefined): string | null =>
  fields?.[19] === undefined ? null : `${bootOf()}:${fields[19]}`;

/** The start time of a process; null when it is gone or unknown. */
export function startOf(pid: number): string | null {
  if (hasProc) return startIn(fieldsOf(pid));
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

/** Whether this very process is alive; a zombie is not. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  if (!hasProc) return started === null || startOf(pid) === started;
  const fields = fieldsOf(pid);
  return fields?.[0] !== 'Z' && (started === null || startIn(fields) === started);
}

/** Finds processes with a text on their command line (Linux only). */
export const findByCommandLine = (text: string): ProcessIdentity[] =>
  findBy('cmdline', (words) => words.includes(text));

/** Finds processes that were started with an environment variable of this value, including descendants (Linux only). */
export const findByVariable = (name: string, value: string): ProcessIdentity[] =>
  findBy('environ', (variables) => `\0${variables}`.includes(`\0${name}=${value}\0`));

function findBy(file: 'cmdline' | 'environ', matches: (text: string) => boolean): ProcessIdentity[] {
  if (!hasProc) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => matches(readSystem(`/proc/${name}/${file}`) ?? ''))
    .map((name) => ({ pid: Number(name), started: startOf(Number(name)) }))
    .filter(isAlive);
}

/** Whether any process of a group is alive; zombies do not count. */
export function isGroupAlive(group: number): boolean {
  if (hasProc) {
    const ofGroup = (name: string): boolean => {
      const [state, , of] = /^\d+$/.test(name) ? (fieldsOf(Number(name)) ?? []) : [];
      return of === String(group) && state !== 'Z' && state !== 'X';
    };
    return readdirSync('/proc').some(ofGroup);
  }
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** Sends a signal to a process group, or to the process alone; does nothing when it is gone. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Kills one process; does nothing when it is gone. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Adds up the memory of a group of processes, in bytes: what they have allocated, in memory or swapped out, without
 * files that the system can read again (Linux); undefined elsewhere.
 */
export function memoryOfGroup(group: number): number | undefined {
  if (!hasProc) return undefined;
  let kilobytes = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || fieldsOf(Number(name))?.[2] !== String(group)) continue;
    const status = readSystem(`/proc/${name}/status`) ?? '';
    for (const [, amount] of status.matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm))
      kilobytes += Number(amount);
  }
  return kilobytes * 1024;
}

/**
 * @file Whether a process still is the one that was started: its number and when it began. Numbers are used again,
 * also after a restart of the machine, so a number alone proves nothing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process that can be told from later ones of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** when it began, in words of the system; null where that cannot be known */
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

/** Fields of /proc/<pid>/stat after the name in brackets: state is the first, the start time the 20th. */
const fieldsOf = (pid: number): readonly string[] | undefined => {
  const text = readSystem(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
};

let boot: string | undefined;
/** Start of the machine, which no process of it outlives, so it is read once. */
const bootOf = (): string => (boot ??= readSystem('/proc/sys/kernel/random/boot_id')?.trim() ?? '');

/** When the process with these fields began; null without any. */
const startIn = (fields: readonly string[] | undefined): string | null =>
  fields?.[19] === undefined ? null : `${bootOf()}:${fields[19]}`;

/** Tells when a process began; null when it is gone or nobody knows. */
export function startOf(pid: number): string | null {
  if (hasProc) return startIn(fieldsOf(pid));
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

/** Tells whether that very process lives; one that has ended and was not collected by its parent does not. */
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

/** Finds processes with a text on their command line (Linux); none where the system does not show it. */
export const findByCommandLine = (text: string): ProcessIdentity[] =>
  findBy('cmdline', (words) => words.includes(text));

/** Finds processes that began with a variable of that value, as those it started do (Linux); none elsewhere. */
export const findByVariable = (name: string, value: string): ProcessIdentity[] =>
  findBy('environ', (variables) => `\0${variables}`.includes(`\0${name}=${value}\0`));

function findBy(file: 'cmdline' | 'environ', isMeant: (text: string) => boolean): ProcessIdentity[] {
  if (!hasProc) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => isMeant(readSystem(`/proc/${name}/${file}`) ?? ''))
    .map((name) => ({ pid: Number(name), started: startOf(Number(name)) }))
    .filter(isAlive);
}

/** Tells whether anything of a group still works; one that only waits to be collected does not. */
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

/** Sends a signal to a process and all of its group; nothing when they are gone. */
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

/** Kills one process; nothing when it is gone. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * @file Single keys in the live view. `stty` takes the terminal out of line mode and leaves its signals on: Node's raw
 * mode would turn Ctrl-C into a byte, which neither the interrupt handler nor the watchdog for plugins hears.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Keys {
  /** Restores the terminal. */
  dispose(): void;
}

/** Calls the action of each key that is pressed; undefined where the input is not this job's terminal. */
export function listenForKeys(actions: Readonly<Record<string, () => void>>): Keys | undefined {
  const { stdin } = process;
  // a background job that touches its terminal is stopped by the system
  if (!stdin.isTTY || !isForeground()) return undefined;
  const saved = stty('-g');
  if (saved === undefined) return undefined;
  const enter = (): void => {
    if (!isForeground()) return void stdin.pause();
    stty('-icanon', '-echo', 'min', '1');
    stdin.resume();
  };
  const restore = (): void => void (isForeground() && stty(saved));
  const onData = (bytes: Buffer): void => {
    for (const key of bytes.toString()) actions[key]?.();
  };
  stdin.on('data', onData);
  // a shell restores its own settings when the job is suspended
  process.on('SIGCONT', enter);
  process.once('exit', restore);
  enter();
  return {
    dispose() {
      stdin.off('data', onData);
      stdin.pause();
      process.off('SIGCONT', enter);
      process.off('exit', restore);
      restore();
    },
  };
}

/** Runs `stty` on the terminal of standard input; undefined where there is none, as on Windows. */
function stty(...words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('stty', words, {
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** Tells whether this process belongs to the job that owns the terminal. */
function isForeground(): boolean {
  try {
    // pid (command) state ppid pgrp session tty_nr tpgid …; the command may contain parentheses
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , owner] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === owner;
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'pgid=', '-o', 'tpgid=', '-p', String(process.pid)], {
      encoding: 'utf8',
    });
    const [group, owner] = (stdout ?? '').trim().split(/\s+/);
    return group !== undefined && group !== '' && group === owner;
  }
}

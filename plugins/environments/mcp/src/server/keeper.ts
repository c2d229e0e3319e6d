/**
 * @file A process that outlives this one for a moment: when this one ends, however it does, the keeper kills the groups of the
 * servers it started and removes their folders. A server that ignores the end of its input would otherwise stay.
 */
import { type ChildProcess, spawn } from 'node:child_process';

/** Reads a line for each thing to hold (`+`) or to let go (`-`): a group (`g`) or a folder (`f`). */
const program = `
const { rmSync } = require('node:fs');
const held = new Set();
let rest = '';
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) line[0] === '+' ? held.add(line.slice(1)) : held.delete(line.slice(1));
}).on('close', () => {
  for (const name of held) {
    try {
      if (name[0] === 'g') process.kill(Number(name.slice(1)), 'SIGKILL');
    } catch {}
  }
  for (const name of held) {
    try {
      if (name[0] === 'f') rmSync(name.slice(1), { recursive: true, force: true, maxRetries: 5 });
    } catch {}
  }
  process.exit(0);
});
`;

const held = new Set<string>();
let keeper: ChildProcess | undefined;

/** Starts the keeper, again where somebody has killed it. */
function start(): ChildProcess {
  const child = spawn(process.execPath, ['-e', program], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    windowsHide: true,
  });
  child.unref();
  // this process may end while the pipe is open
  (child.stdin as unknown as { unref(): void }).unref();
  child.stdin?.on('error', () => undefined);
  child.once('exit', () => {
    if (keeper !== child) return;
    keeper = undefined;
    if (held.size > 0) keeper = start();
  });
  child.once('error', () => undefined);
  for (const name of held) child.stdin?.write(`+${name}\n`);
  return child;
}

function hold(name: string): () => void {
  held.add(name);
  if (keeper === undefined) keeper = start();
  else keeper.stdin?.write(`+${name}\n`);
  return () => {
    if (held.delete(name)) keeper?.stdin?.write(`-${name}\n`);
  };
}

/** The number that `process.kill` takes for a process and its descendants; Windows has no groups. */
export const groupOf = (pid: number): number => (process.platform === 'win32' ? pid : -pid);

/** Kills the group of a process when this process ends. @returns what lets it go */
export const holdGroup = (pid: number): (() => void) => hold(`g${groupOf(pid)}`);

/** Removes a folder when this process ends. @returns what lets it go */
export const holdFolder = (folder: string): (() => void) => hold(`f${folder}`);

/** The keeper's process, for tests. */
export const keeperPid = (): number | undefined => keeper?.pid;

/**
 * @file Ends the programs of agents when this process is killed. They are in process groups of their own, and nothing of a
 * killed process runs any more; so one process of its own reads from here which groups live, and ends them when its input does.
 */
import { type ChildProcess, spawn } from 'node:child_process';

/** The program of the guard; nothing but Node's own modules, so that it starts at once. */
const source = `
const groups = new Set();
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) groups[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1)));
});
process.stdin.on('end', () => {
  for (const pid of groups) {
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    } catch {}
  }
  process.exit();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
`;

let guard: ChildProcess | undefined;

/** Has a process group ended with this process, however that ends. */
export function guardGroup(pid: number): void {
  guard ??= startGuard();
  guard.stdin?.write(`+${pid}\n`);
}

/** A group that has ended: its number may be that of another one soon. */
export function releaseGroup(pid: number): void {
  guard?.stdin?.write(`-${pid}\n`);
}

function startGuard(): ChildProcess {
  const child = spawn(process.execPath, ['-e', source], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // who kills this process with its group must not kill the guard
    detached: true,
    windowsHide: true,
  });
  // without it programs are ended as before, by what this process does when it exits
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.once('exit', () => (guard = undefined));
  child.unref();
  (child.stdin as unknown as { unref?: () => void }).unref?.();
  return child;
}

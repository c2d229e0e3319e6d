/**
 * @file The sandbox of an episode: bubblewrap over this machine's programs, which cannot be changed, and a folder of the episode's own for
 * what can. Every command has namespaces of its own for processes, users and network; when it ends, all it started ends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/plugin-kit';
import { removeFolder, sweep, tryToRemove } from './remove-folder.js';

export interface SandboxLimits {
  readonly memoryMb: number | undefined;
  readonly storageMb: number | undefined;
  readonly network: boolean;
}

export interface Command {
  readonly command: string;
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface CommandResult {
  readonly output: string;
  /** undefined where it was cut off */
  readonly status: number | undefined;
  readonly elapsedMs: number;
}

/** What a task may write to, beside what it names. */
const writable = ['app', 'home', 'logs', 'mnt', 'opt', 'root', 'srv', 'tmp', 'var', 'workspace'];
/** What belongs to this machine, or to the kernel. */
export const systemFolders: ReadonlySet<string> = new Set(
  'bin boot dev etc lib lib32 lib64 libx32 proc run sbin sys usr'.split(' '),
);
/** Files of /etc that programs need and that tell nothing of this machine's users. */
const settings = [
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'ssl',
];
/** Output that is kept; the rest is read and let go. */
const maxOutput = 2 ** 20;
const prefix = 'espalier-harbor-';
const opened = new Set<string>();

export class Sandbox {
  readonly #folder: string;
  readonly #tops = new Set<string>();
  readonly #limits: SandboxLimits;
  readonly #running = new Set<() => void>();
  /** what `/logs/verifier` is, on this machine */
  #results: string;
  #isClosed = false;

  /** @throws plugin.failed where this machine has no bubblewrap that works */
  constructor(limits: SandboxLimits, paths: readonly string[]) {
    requireBubblewrap();
    this.#limits = limits;
    this.#folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
    opened.add(this.#folder);
    for (const top of [...writable, ...paths.map((path) => path.split('/')[1] ?? '')]) this.#open(top);
    for (const path of ['/logs/agent', '/logs/verifier', '/logs/artifacts', '/var/tmp', ...paths])
      mkdirSync(this.place(path), { recursive: true });
    this.#results = this.renewResults();
    const etc = join(this.#folder, 'etc');
    mkdirSync(etc);
    writeFileSync(
      join(etc, 'passwd'),
      'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/sh\n',
    );
    writeFileSync(join(etc, 'group'), 'root:x:0:\nnogroup:x:65534:\n');
    writeFileSync(join(etc, 'hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  }

  /** Where a path of the sandbox is on this machine; its top folder becomes one of the episode's. */
  place(path: string): string {
    this.#open(path.split('/')[1] ?? '');
    return join(this.#folder, 'files', path);
  }

  /**
   * Gives `/logs/verifier` a new, empty folder. Being a mount from the start, no command can remove or replace it, and what a command left
   * running has the folder of before.
   *
   * @returns where it is on this machine
   */
  renewResults(): string {
    this.#results = mkdtempSync(join(this.#folder, 'results-'));
    return this.#results;
  }

  #open(top: string): void {
    if (top === '' || this.#tops.has(top)) return;
    mkdirSync(join(this.#folder, 'files', top), { recursive: true });
    this.#tops.add(top);
  }

  /** Folders that an agent works in, for a summary of its files. */
  get tops(): readonly string[] {
    return [...this.#tops].filter((top) => top !== 'tmp' && top !== 'logs').sort();
  }

  /** Runs a command in bash, until it ends or is cut off. @throws plugin.failed where the sandbox is closed meanwhile */
  run({ command, folder, variables, timeoutMs }: Command): Promise<CommandResult> {
    const { memoryMb, storageMb } = this.#limits;
    const limits = [
      'ulimit -c 0',
      ...(memoryMb === undefined ? [] : [`ulimit -d ${Math.ceil(memoryMb * 1024)}`]),
      ...(storageMb === undefined ? [] : [`ulimit -f ${Math.ceil(storageMb * 1024)}`]),
    ];
    const script = `${limits.join('; ')}; exec bash -c "$1" 2>&1`;
    const started = performance.now();
    const child = spawn(
      'bwrap',
      [...this.#arguments(folder, variables), 'bash', '-c', script, 'bash', command],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      },
    );
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // it has ended
      }
    };
    this.#running.add(kill);
    return new Promise((resolve, reject) => {
      const kept: Buffer[] = [];
      let bytes = 0;
      let isLate = false;
      const keep = (chunk: Buffer): void => {
        if (bytes < maxOutput) kept.push(chunk.subarray(0, maxOutput - bytes));
        bytes += chunk.length;
      };
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      const timer = setTimeout(() => {
        isLate = true;
        kill();
      }, timeoutMs);
      const end = (): void => {
        clearTimeout(timer);
        this.#running.delete(kill);
      };
      child.once('error', (error) => {
        end();
        reject(unusable(error.message));
      });
      child.once('close', (code) => {
        end();
        if (this.#isClosed)
          reject(new AppError('plugin.failed', 'run a command: its episode was closed meanwhile'));
        else
          resolve({
            output: Buffer.concat(kept).toString('utf8'),
            status: isLate ? undefined : (code ?? 137),
            elapsedMs: performance.now() - started,
          });
      });
    });
  }

  #arguments(folder: string, variables: Readonly<Record<string, string>>): string[] {
    const settingsHere = settings.filter((name) => existsSync(`/etc/${name}`));
    const own = ['passwd', 'group', 'hosts'];
    return [
      '--unshare-all',
      ...(this.#limits.network ? ['--share-net'] : []),
      ...isolation,
      '--ro-bind',
      '/usr',
      '/usr',
      ...['bin', 'sbin', 'lib', 'lib32', 'lib64'].flatMap((name) => linkOf(name)),
      ...settingsHere.flatMap((name) => ['--ro-bind', `/etc/${name}`, `/etc/${name}`]),
      ...(this.#limits.network ? ['--ro-bind-try', '/etc/resolv.conf', '/etc/resolv.conf'] : []),
      ...own.flatMap((name) => ['--ro-bind', join(this.#folder, 'etc', name), `/etc/${name}`]),
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      ...[...this.#tops].flatMap((top) => ['--bind', join(this.#folder, 'files', top), `/${top}`]),
      '--bind',
      this.#results,
      '/logs/verifier',
      '--remount-ro',
      '/',
      '--chdir',
      folder,
      ...Object.entries({ ...fixedVariables, ...variables }).flatMap(([name, value]) => [
        '--setenv',
        name,
        value,
      ]),
    ];
  }

  /** Ends what runs, and removes the folder. */
  close(): void {
    this.#isClosed = true;
    for (const kill of this.#running) kill();
    removeFolder(this.#folder);
    opened.delete(this.#folder);
  }
}

const isolation =
  '--die-with-parent --new-session --cap-drop ALL --hostname sandbox --uid 0 --gid 0 --clearenv'.split(' ');
/** Variables of every command, in place of those of a base image. */
export const fixedVariables: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  USER: 'root',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
};

/** `/bin` and the like are links into `/usr` on most systems, and folders on some. */
function linkOf(name: string): string[] {
  if (!existsSync(`/${name}`)) return [];
  return existsSync(`/usr/${name}`)
    ? ['--symlink', `usr/${name}`, `/${name}`]
    : ['--ro-bind', `/${name}`, `/${name}`];
}

let isChecked = false;

function requireBubblewrap(): void {
  if (isChecked) return;
  const { error, status, stderr } = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (error !== undefined) throw unusable(error.message);
  if (status !== 0) throw unusable(stderr.trim());
  isChecked = true;
  process.once('exit', () => {
    for (const folder of opened) tryToRemove(folder);
  });
  sweep(prefix);
}

const unusable = (finding: string): AppError =>
  new AppError(
    'plugin.failed',
    `open the sandbox of environment harbor: bubblewrap does not run here (${finding}); on Linux install the package bubblewrap, and allow user namespaces (sysctl kernel.unprivileged_userns_clone, or AppArmor's profile of bwrap)`,
  );

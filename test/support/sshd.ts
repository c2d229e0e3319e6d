/** @file A real sshd on a loopback port, for the user of this process, with keys of its own. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { answers, findProgram, freePort, removeFolder, ServiceProcess } from '@espalier/testing';

const find = (name: string): string | undefined => findProgram(name) ?? findProgram(`../sbin/${name}`);

/** Programs of OpenSSH that this machine lacks. */
export const missingSsh = (): string[] =>
  ['sshd', 'ssh', 'ssh-keygen'].filter((name) => find(name) === undefined);

export interface SshServer {
  /** options of `ssh` that reach it */
  readonly options: readonly string[];
  /** Stops answering, as a machine that is down; its processes go on. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSshd(): Promise<SshServer> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-sshd-'));
  chmodSync(folder, 0o700);
  const at = (name: string): string => join(folder, name);
  for (const name of ['host', 'client'])
    execFileSync(find('ssh-keygen') ?? '', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  copyFileSync(at('client.pub'), at('authorized_keys'));
  chmodSync(at('authorized_keys'), 0o600);
  const port = await freePort();
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('authorized_keys')}`,
    `PidFile ${at('pid')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin prohibit-password',
    'MaxStartups 100:30:200',
    `AllowUsers ${userInfo().username}`,
  ];
  writeFileSync(at('sshd_config'), `${settings.join('\n')}\n`);
  // privilege separation of Debian's sshd wants it
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  let running: ServiceProcess | undefined;
  const up = async (): Promise<void> => {
    running = new ServiceProcess(find('sshd') ?? '', ['-D', '-e', '-f', at('sshd_config')], at('log'), own);
    await running.ready(() => answers(port, '', 'SSH-2.0'));
  };
  const down = async (): Promise<void> => {
    await running?.end('SIGTERM');
    running = undefined;
  };
  await up();
  return {
    options: [
      '-F',
      'none',
      '-p',
      String(port),
      '-i',
      at('client'),
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      `UserKnownHostsFile=${at('known_hosts')}`,
      '-o',
      'LogLevel=ERROR',
    ],
    up,
    down,
    async stop() {
      await down();
      removeFolder(folder);
    },
  };
}

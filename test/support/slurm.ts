/**
 * @file A Slurm cluster of its own on this machine: munged, a controller, two nodes, three partitions. Debian's slurm-wlm has
 * all of it.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram, freePort, removeFolder, ServiceProcess } from '@espalier/testing';

const programs = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scancel', 'scontrol', 'sacct'];

const find = (name: string): string | undefined =>
  findProgram(name) ?? findProgram(`../sbin/${name}`) ?? undefined;

/** Programs of Slurm that this machine lacks. */
export const missingSlurm = (): string[] => programs.filter((name) => find(name) === undefined);

export interface SlurmJob {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  /** where it ran; empty: it never did */
  readonly node: string;
}

export interface SlurmCluster {
  readonly nodes: readonly string[];
  /** Runs a program of Slurm. */
  run(program: string, ...words: string[]): string;
  /** Every job that there was, in order of their ids: as the controller has it, and as its accounts have it. */
  jobs(): Record<'controller' | 'accounts', SlurmJob[]>;
  stop(): Promise<void>;
}

/** Starts a cluster; `SLURM_CONF` of this process names it until it is stopped. */
export async function startSlurm({ cpus = 8 } = {}): Promise<SlurmCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-slurm-'));
  chmodSync(folder, 0o755);
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const nodes = ['n1', 'n2'];
  for (const name of ['state', ...nodes.map((node) => `spool-${node}`)]) mkdirSync(join(folder, name));
  const key = join(folder, 'munge.key');
  writeFileSync(key, randomBytes(128), { mode: 0o400 });
  const conf = join(folder, 'slurm.conf');
  writeFileSync(conf, await describeCluster(folder, nodes, cpus));
  const service = (name: string, words: readonly string[]): ServiceProcess =>
    new ServiceProcess(find(name) ?? name, words, join(folder, `${name}.log`), own);
  const socket = join(folder, 'munge.socket');
  const munge = service('munged', [
    '--force',
    '--foreground',
    `--key-file=${key}`,
    `--socket=${socket}`,
    `--pid-file=${join(folder, 'munge.pid')}`,
    `--log-file=${join(folder, 'munge.log')}`,
    `--seed-file=${join(folder, 'munge.seed')}`,
  ]);
  const earlier = process.env['SLURM_CONF'];
  process.env['SLURM_CONF'] = conf;
  const run: SlurmCluster['run'] = (program, ...words) =>
    execFileSync(find(program) ?? program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const controller = service('slurmctld', ['-D', '-f', conf]);
  const daemons = nodes.map((node) => service('slurmd', ['-D', '-N', node, '-f', conf]));
  const stop = async (): Promise<void> => {
    await cancelJobs(run);
    for (const each of [...daemons, controller, munge]) await each.end('SIGKILL');
    killSteps(folder);
    if (earlier === undefined) delete process.env['SLURM_CONF'];
    else process.env['SLURM_CONF'] = earlier;
    removeFolder(folder);
  };
  try {
    await controller.ready(async () => {
      try {
        return run('sinfo', '--noheader', '--Node', '--format=%t')
          .trim()
          .split('\n')
          .every((is) => is === 'idle');
      } catch {
        return false;
      }
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, run, jobs: () => readJobs(run), stop };
}

function readJobs(run: SlurmCluster['run']): ReturnType<SlurmCluster['jobs']> {
  const known = run('squeue', '--noheader', '--states=all', '--format=%i|%j|%T|%N');
  const columns = '--format=JobID,JobName,State,NodeList';
  const ended = run('sacct', '--completion', '--noheader', '--parsable2', columns);
  const read = (text: string): SlurmJob[] =>
    [...text.matchAll(/^ *(\d+)\|([^|]*)\|([^|]*)\|(.*)$/gm)]
      .map(([, id, name = '', state = '', node = '']) => ({
        id: Number(id),
        name,
        state,
        node: node === '(null)' ? '' : node,
      }))
      .sort((a, b) => a.id - b.id);
  return { controller: read(known), accounts: read(ended) };
}

/** Ends what still runs in a cluster, and waits for it a little. */
async function cancelJobs(run: SlurmCluster['run']): Promise<void> {
  const limit = Date.now() + 5000;
  try {
    run('scancel', '--full', '--signal=KILL', `--user=${userInfo().username}`);
    while (run('squeue', '--noheader').trim() !== '' && Date.now() < limit) await sleep(100);
  } catch {
    // the controller does not answer: the steps are killed one by one
  }
}

/** The steps of jobs outlive slurmd; they are known by the configuration in their environment. */
function killSteps(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const isStep = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('slurmstepd');
      if (isStep && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder))
        process.kill(Number(pid), 'SIGKILL');
    } catch {
      // it has ended
    }
  }
}

async function describeCluster(folder: string, nodes: readonly string[], cpus: number): Promise<string> {
  const host = hostname();
  const user = userInfo().username;
  const lines = [
    'ClusterName=test',
    `SlurmctldHost=${host}(127.0.0.1)`,
    `SlurmctldPort=${await freePort()}`,
    `SlurmUser=${user}`,
    `SlurmdUser=${user}`,
    'AuthType=auth/munge',
    `AuthInfo=socket=${join(folder, 'munge.socket')}`,
    'CredType=cred/munge',
    `StateSaveLocation=${join(folder, 'state')}`,
    `SlurmdSpoolDir=${join(folder, 'spool-%n')}`,
    `SlurmctldPidFile=${join(folder, 'slurmctld.pid')}`,
    `SlurmdPidFile=${join(folder, 'slurmd-%n.pid')}`,
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/none',
    'AccountingStorageType=accounting_storage/none',
    // what ended stays in the memory of the controller, and in a file that sacct reads
    'MinJobAge=86400',
    'JobCompType=jobcomp/filetxt',
    `JobCompLoc=${join(folder, 'completed')}`,
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_CPU',
    'SchedulerParameters=batch_sched_delay=1,sched_interval=1,bf_interval=2',
    'SlurmdParameters=config_overrides',
    'MailProg=/bin/true',
    'MpiDefault=none',
    'ReturnToService=2',
    'KillWait=2',
    'PreemptType=preempt/partition_prio',
    'PreemptMode=REQUEUE',
  ];
  for (const node of nodes)
    lines.push(
      `NodeName=${node} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${await freePort()} CPUs=${cpus} RealMemory=1000 State=UNKNOWN`,
    );
  // jobs of `urgent` push out those of the others, which are cancelled or wait again
  const partitions = [
    ['main', 'Default=YES PriorityTier=1 PreemptMode=CANCEL'],
    ['spare', 'PriorityTier=1 PreemptMode=REQUEUE'],
    ['urgent', 'PriorityTier=9 PreemptMode=OFF'],
  ] as const;
  for (const [name, rules] of partitions)
    lines.push(`PartitionName=${name} Nodes=ALL MaxTime=INFINITE State=UP ${rules}`);
  return `${lines.join('\n')}\n`;
}

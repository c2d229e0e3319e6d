import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import { freeMachineBytes, machineBytes } from '@espalier/contracts/values';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { askProbe } from '../local/ask-probe.js';
import { checkDrivers } from '../local/check-drivers.js';
import { exitCodes } from '../exit-codes.js';
import { formatBytes } from '../view/numbers.js';
import { loadRegistry } from '../workspace.js';
import { asTyped } from '../typed-commands.js';

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'absent' | 'failed';
  /** what was found, and after a semicolon what to do */
  readonly finding: string;
}

/** A run needs this much: a model, its moments and a few checkpoints. */
const minDiskBytes = 2 ** 30;
const minMemoryBytes = 2 * 2 ** 30;

/** Adds `espalier doctor`. */
export function addDoctorCommand(program: Command, { console, finish }: CommandContext): void {
  program
    .command('doctor')
    .description(
      'check whether this machine can train: Node, ONNX Runtime, GPUs, drivers and their speed, memory, disk, plugins, folders',
    )
    .option('--json', 'one object per line')
    .addHelpText('after', examples(['doctor', 'ends with 3 when something is broken']))
    .action(async ({ json }: { json?: boolean }) => {
      const checks = [
        checkNode(),
        ...(await checkComputing()),
        checkMemory(),
        checkDisk(),
        ...foldersToWrite().map(checkFolder),
        ...(await checkPlugins()),
      ];
      for (const check of checks)
        console.line(
          json === true
            ? JSON.stringify(check)
            : `${check.state.padEnd(8)} ${check.name.padEnd(23)} ${asTyped(check.finding)}`,
        );
      if (checks.some(({ state }) => state === 'failed')) finish(exitCodes.invalid);
    });
}

function checkNode(): Check {
  const { engines } = JSON.parse(readFileSync(join(findInstallation().folder, 'package.json'), 'utf8')) as {
    engines?: { node?: string };
  };
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isSupported =
    (major === 20 && minor >= 19) ||
    (major === 22 && minor >= 13) ||
    (major === 24 && minor >= 11) ||
    major > 24;
  const remedy = isSupported ? '' : `; install one of ${engines?.node ?? '20, 22 or 24'}`;
  return { name: 'node', state: isSupported ? 'ok' : 'failed', finding: `${process.version}${remedy}` };
}

/** ONNX Runtime, and what computes with it where it loads. This process never opens a native library of either. */
async function checkComputing(): Promise<Check[]> {
  const name = 'onnxruntime';
  const probed = await askProbe('runtime');
  if ('finding' in probed) return [{ name, state: 'failed', finding: probed.finding }];
  return [{ name, state: 'ok', finding: 'loads' }, ...(await checkDrivers(probed.answer))];
}

function checkMemory(): Check {
  const finding = `${formatBytes(freeMachineBytes())} free of ${formatBytes(machineBytes())}, ${availableParallelism()} cores`;
  const isEnough = machineBytes() >= minMemoryBytes;
  return {
    name: 'memory',
    state: isEnough ? 'ok' : 'warning',
    finding: isEnough ? finding : `${finding}; train small models`,
  };
}

function checkDisk(): Check {
  const { bavail, bsize } = statfsSync('.');
  const free = bavail * bsize;
  const isEnough = free >= minDiskBytes;
  return {
    name: 'disk',
    state: isEnough ? 'ok' : 'warning',
    finding: `${formatBytes(free)} free here${isEnough ? '' : '; make room'}`,
  };
}

/** The data folders that a server's or worker's variables name, as in the image; else those of commands that are run here. */
function foldersToWrite(): string[] {
  const { ESPALIER__SERVER__DATA: server, ESPALIER__WORKER__DATA: worker } = process.env;
  const named = [server, worker].filter((folder) => folder !== undefined);
  return named.length > 0 ? [...new Set(named)] : ['runs', 'data'];
}

/** Read-only check: a missing folder passes if its nearest existing parent is writable. */
function checkFolder(name: string): Check {
  let nearest = resolve(name);
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return { name: `${name}/`, state: 'ok', finding: 'can be written' };
  } catch {
    return {
      name: `${name}/`,
      state: 'failed',
      finding: `no permission to write in ${nearest}; run elsewhere`,
    };
  }
}

async function checkPlugins(): Promise<Check[]> {
  const registry = await loadRegistry({ note: () => undefined });
  const broken = registry.broken().map(({ package: name, error }): Check => ({
    name: 'plugin',
    state: 'warning',
    finding: `${name}: ${error.message}`,
  }));
  const count = registry.list().length;
  const finding =
    count === 0 ? 'none, not even those that come with Espalier; install it again' : `${count} usable`;
  return [{ name: 'plugins', state: count === 0 ? 'failed' : 'ok', finding }, ...broken];
}

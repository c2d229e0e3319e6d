/**
 * @file Where a run was made and with what: `origin.json` in its folder, written once, when it begins. A server that a
 * run is imported to knows it from there.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findRevision, listVersions } from '@espalier/config';
import { runLayout, type RunSpec } from '@espalier/contracts';
import { listAlgorithms, listEnvironments } from '@espalier/contracts/mixing';
import { type FolderModel, isHubModel, type ModelChoice } from '@espalier/contracts/model-choice';
import { machineBytes, usableThreads } from '@espalier/contracts/values';
import { hashPackage } from '@espalier/plugin-host';
import type { Registry } from '../workspace.js';

/** A device, as far as it is known. */
interface UsedDevice {
  readonly id: string;
  readonly kind: 'cpu' | 'gpu';
  readonly name: string;
  /** 0 for a GPU */
  readonly threads: number;
  readonly memoryMb: number | null;
}

/** What a later reader needs to repeat a run; null: not known. */
export interface RunOrigin {
  readonly host: string | null;
  /** what it was computed on */
  readonly hardware: readonly UsedDevice[] | null;
  readonly gitRevision: string | null;
  readonly versions: Readonly<Record<string, string>> | null;
  readonly plugins: readonly { kind: string; id: string; version: string; sha256: string }[] | null;
}

const fileOf = (folder: string): string => join(folder, runLayout.origin);

/** What `origin.json` has besides: what the configuration named; the spec has the commit, or the kept adapter. */
interface WrittenOrigin extends RunOrigin {
  readonly modelRevision?: string;
  readonly startModel?: FolderModel;
}

/**
 * Writes `origin.json` unless it exists; a failure is ignored.
 *
 * @param named the model as the configuration names it
 */
export async function saveOrigin(
  folder: string,
  { spec, named }: { readonly spec: RunSpec; readonly named: ModelChoice },
  registry: Registry,
): Promise<void> {
  if (existsSync(fileOf(folder))) return;
  const gitRevision = await findRevision();
  const hardware = await describeHardware(spec);
  const origin: WrittenOrigin = {
    host: hostname(),
    hardware,
    gitRevision,
    ...describeCode(spec, registry),
    ...(isHubModel(named) ? { modelRevision: named.revision } : {}),
    ...(existsSync(join(folder, runLayout.start)) ? { startModel: named as FolderModel } : {}),
  };
  try {
    writeFileSync(fileOf(folder), `${JSON.stringify(origin, null, 2)}\n`);
  } catch {
    // the logs of the run will report what is wrong with the folder
  }
}

/** Loads where a run began; every field is null if the file is missing or corrupt. */
export function loadOrigin(folder: string): RunOrigin {
  const {
    host = null,
    hardware = null,
    gitRevision = null,
    versions = null,
    plugins = null,
  } = readOrigin(folder);
  return { host, hardware, gitRevision, versions, plugins };
}

/** The revision that the configuration of a run named when it began; undefined: not known. */
export const loadModelRevision = (folder: string): string | undefined => readOrigin(folder).modelRevision;

/** The model that the configuration of a run named when it began with an adapter; undefined: not known. */
export const loadStartModel = (folder: string): FolderModel | undefined => readOrigin(folder).startModel;

function readOrigin(folder: string): Partial<WrittenOrigin> {
  try {
    return (JSON.parse(readFileSync(fileOf(folder), 'utf8')) as WrittenOrigin | null) ?? {};
  } catch {
    return {};
  }
}

/** The processors, and the first GPU that can be seen where models are computed on NVIDIA's. */
async function describeHardware({ device }: RunSpec): Promise<UsedDevice[]> {
  const processor: UsedDevice = {
    id: 'cpu',
    kind: 'cpu',
    name: cpus()[0]?.model.trim() ?? 'unknown processor',
    threads: device.threads ?? usableThreads(),
    memoryMb: Math.floor(machineBytes() / 2 ** 20),
  };
  return device.provider === 'cuda' ? [...(await findGpu()), processor] : [processor];
}

/** The first GPU of NVIDIA's that this process may use. */
async function findGpu(): Promise<UsedDevice[]> {
  const [visible] = (process.env['CUDA_VISIBLE_DEVICES'] ?? '0').split(',');
  const words = ['--query-gpu=uuid,name,memory.total', '--format=csv,noheader,nounits', '-i', visible ?? '0'];
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', words, { timeout: 5000 });
    const [id = '', name = '', memory = ''] = stdout.trim().split(', ');
    return id === ''
      ? []
      : [{ id, kind: 'gpu', name, threads: 0, memoryMb: Math.floor(Number(memory)) || null }];
  } catch {
    return [];
  }
}

function describeCode(spec: RunSpec, registry: Registry): Pick<RunOrigin, 'versions' | 'plugins'> {
  const environments = listEnvironments(spec).map((one) => one.spec);
  const used = [
    ...environments.map(({ environment }) => `environment ${environment.use}`),
    ...listAlgorithms(spec).map(({ chosen }) => `algorithm ${chosen.use}`),
    ...('use' in spec.model ? [`model ${spec.model.use}`] : []),
    ...environments.flatMap(({ rewards }) => rewards.map(({ use }) => `reward ${use}`)),
  ];
  const plugins = registry.inventory().flatMap(({ kind = '', id = '', version = 'unknown', folder }) => {
    if (folder === undefined || !used.includes(`${kind} ${id}`)) return [];
    return [{ kind, id, version, sha256: hashPackage(folder) }];
  });
  return { versions: listVersions(), plugins };
}

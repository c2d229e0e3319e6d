/**
 * @file Prepares the folder of a run for an attempt: keeps it as it is, rolls it back to the checkpoint that the server
 * names, or fetches from the server everything that a bit-exact resume needs.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, isSafeName, isSafePath, runLayout, type WarningCode } from '@espalier/contracts';
import type { Assignment } from '@espalier/protocol';
import { resolveInside } from '@espalier/files';
import { z } from 'zod';
import { needsBase } from '@espalier/config/model-limits';
import { type ArtifactStore, hashOf, isDamaged, type StoredFile } from './artifact-store.js';
import { type FileDigests, isIntact, listSteps, readLogDigests } from './checkpoint-folder.js';
import { joinParts, partsPrefix } from './metric-parts.js';
import { loadRunRecord, saveRunRecord } from './run-record.js';
import { retryTransfer, type TransferParts } from './retry-transfer.js';

export interface FetchParts extends TransferParts {
  readonly store: ArtifactStore;
  /** folder of run folders */
  readonly runs: string;
  /** folder of the models that forked runs start from, by run */
  readonly forks: string;
  /** reports a difference from what the server said */
  readonly warn: (code: WarningCode, message: string) => void;
}

/** How to start the process. */
export interface RunStart {
  /** resume in the folder */
  readonly isResumed: boolean;
  /** model to start from instead of the one in the spec */
  readonly model?: FetchedModel;
  /** folder of another run's checkpoint to continue from */
  readonly fork?: string;
}

/** A checkpoint from the server. */
export interface FetchedModel {
  readonly folder: string;
  /** folder of what an adapter was trained on; `spec`: the model of the spec; undefined: it is no adapter */
  readonly base: string | 'spec' | undefined;
}

/** Prepares the run folder of a training attempt. @throws worker.transfer_failed, worker.transfer_refused */
export async function prepareRun(given: Assignment, parts: FetchParts): Promise<RunStart> {
  const { runs } = parts;
  const folder = join(runs, given.runId);
  mkdirSync(runs, { recursive: true });
  const model = await prepareFork(given, parts);
  const isResumed = await prepareFolder(given, folder, parts);
  const fork = isResumed ? undefined : await fetchForkPoint(given, parts);
  const { attemptId, jobId, number } = given;
  saveRunRecord(runs, given.runId, { attemptId, jobId, number, isShipped: false });
  return {
    isResumed,
    ...(model === undefined ? {} : { model }),
    ...(fork === undefined ? {} : { fork }),
  };
}

async function prepareFolder(given: Assignment, folder: string, parts: FetchParts): Promise<boolean> {
  const { resume } = given;
  const before = loadRunRecord(parts.runs, given.runId);
  const isOwn = before?.attemptId === given.attemptId;
  const follows = before?.jobId === given.jobId && before.number === given.number - 1;
  const isTrusted = isOwn || (follows && before.isShipped);
  if (isTrusted) {
    const [newest] = listSteps(folder);
    const isNew = newest !== undefined && newest >= (resume?.step ?? 0);
    if (isNew && (await isIntact(join(folder, runLayout.checkpoint(newest))))) return true;
  }
  if (resume === null) {
    rmSync(folder, { recursive: true, force: true });
    return false;
  }
  if (await isIntact(join(folder, resume.path))) deleteNewer(folder, resume.step);
  else await fetchNewestIntact(given.runId, resume, folder, parts);
  return true;
}

/** Deletes checkpoints that a fenced attempt wrote; this attempt repeats their steps. */
function deleteNewer(folder: string, step: number): void {
  for (const newer of listSteps(folder).filter((other) => other > step))
    rmSync(join(folder, runLayout.checkpoint(newer)), { recursive: true, force: true });
}

/** Fetches a checkpoint or, if it is corrupt, the newest older one that is intact. */
async function fetchNewestIntact(
  runId: string,
  { step, path }: NonNullable<Assignment['resume']>,
  folder: string,
  parts: FetchParts,
): Promise<void> {
  try {
    return await fetchRun(runId, path, folder, parts);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    for (const older of await listStoredCheckpoints(runId, step, parts)) {
      const reason = (error as Error).message;
      const message = `resume run ${runId}: ${reason}; resuming from "${older}" and repeating the steps after it`;
      try {
        await fetchRun(runId, older, folder, parts);
        return parts.warn('worker.corrupt_checkpoint', message);
      } catch (another) {
        if (!isDamaged(another)) throw another;
      }
    }
    throw error;
  }
}

/** Lists the stored checkpoints older than a step, newest first. */
async function listStoredCheckpoints(runId: string, step: number, parts: FetchParts): Promise<string[]> {
  const listed = await retryTransfer(
    (signal) => parts.store.list(runId, `${runLayout.checkpoints}/`, signal),
    parts,
  );
  return listed
    .filter(({ path }) => path.endsWith(`/${runLayout.manifest}`))
    .map(({ path }) => path.slice(0, -runLayout.manifest.length - 1))
    .map((path) => ({ path, step: runLayout.stepOf(path) ?? Infinity }))
    .filter((stored) => stored.step < step)
    .sort((a, b) => b.step - a.step)
    .map(({ path }) => path);
}

/** Fetches a checkpoint, the logs it resumes from and the adapter that the run began with into a new folder, which then replaces the old one. */
async function fetchRun(runId: string, path: string, folder: string, parts: FetchParts): Promise<void> {
  const fresh = `${folder}.fetched`;
  rmSync(fresh, { recursive: true, force: true });
  await fetchFolder({ runId, prefix: `${path}/`, target: fresh, known: folder }, parts);
  const checkpoint = join(fresh, path);
  if (!(await isIntact(checkpoint))) {
    throw new AppError(
      'worker.transfer_refused',
      `resume run ${runId}: the stored checkpoint "${path}" does not match its manifest; resume from another checkpoint`,
    );
  }
  await fetchFolder({ runId, prefix: `${runLayout.start}/`, target: fresh, known: folder }, parts);
  const digests = readLogDigests(checkpoint);
  const hasMetrics = await fetchMetrics(runId, digests[runLayout.metrics], fresh, folder, parts);
  for (const prefix of [
    ...(hasMetrics ? [] : [runLayout.metrics]),
    `${runLayout.trajectories}/`,
    `${runLayout.validation}/`,
  ]) {
    const wants = ({ path: name, bytes }: StoredFile): boolean => bytes >= (digests[name]?.bytes ?? Infinity);
    await fetchFolder({ runId, prefix, target: fresh, known: folder, wants }, parts);
  }
  for (const [name, { bytes }] of Object.entries(digests)) {
    const log = resolveInside(fresh, name);
    if (existsSync(log) && statSync(log).size > bytes) truncateSync(log, bytes);
  }
  writeFileSync(join(fresh, runLayout.spec), readFileSync(join(checkpoint, runLayout.spec)));
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

/** Restores the metrics log as it was at a checkpoint, from the local log or from stored parts. */
async function fetchMetrics(
  runId: string,
  digest: FileDigests[string] | undefined,
  fresh: string,
  known: string,
  parts: FetchParts,
): Promise<boolean> {
  if (digest === undefined) return true;
  const present = join(known, runLayout.metrics);
  const target = join(fresh, runLayout.metrics);
  if (existsSync(present) && statSync(present).size >= digest.bytes) {
    copyFileSync(present, target);
    truncateSync(target, digest.bytes);
    if ((await hashOf(target)) === digest.sha256) return true;
    rmSync(target);
  }
  const listed = await retryTransfer((signal) => parts.store.list(runId, partsPrefix, signal), parts);
  return joinParts(listed, target, digest, (stored, file) =>
    retryTransfer((signal) => parts.store.fetch(runId, stored, file, signal), parts),
  );
}

interface FetchRequest {
  readonly runId: string;
  readonly prefix: string;
  readonly target: string;
  /** default: fetch everything */
  readonly wants?: (stored: StoredFile) => boolean;
  /** a folder that may already have some of the files */
  readonly known?: string;
}

/** Fetches all artifacts of a run below a prefix. @returns their number */
async function fetchFolder(request: FetchRequest, parts: FetchParts): Promise<number> {
  const { runId, prefix, target, known, wants = () => true } = request;
  const listed = await retryTransfer((signal) => parts.store.list(runId, prefix, signal), parts);
  const wanted = listed.filter(wants);
  for (const stored of wanted) {
    const file = resolveInside(target, stored.path);
    const present = known === undefined ? undefined : join(known, stored.path);
    mkdirSync(dirname(file), { recursive: true });
    if (present !== undefined && (await isSame(present, stored))) copyFileSync(present, file);
    else await retryTransfer((signal) => parts.store.fetch(runId, stored, file, signal), parts);
  }
  return wanted.length;
}

async function isSame(file: string, { bytes, sha256 }: StoredFile): Promise<boolean> {
  return existsSync(file) && statSync(file).size === bytes && (await hashOf(file)) === sha256;
}

const forkName = 'fork.json';

const originSchema = z.object({
  runId: z.string().refine(isSafeName),
  path: z.string().refine(isSafePath),
  continues: z.boolean().default(false),
});
type Origin = z.infer<typeof originSchema>;

/** Fetches the checkpoint that a fork continues from. */
async function fetchForkPoint({ runId, fork }: Assignment, parts: FetchParts): Promise<string | undefined> {
  if (fork?.continues !== true) return undefined;
  const folder = join(parts.forks, runId, 'checkpoint');
  rmSync(folder, { recursive: true, force: true });
  const request = { runId: fork.runId, prefix: `${fork.path}/`, target: folder };
  const known = join(parts.runs, fork.runId);
  if ((await fetchFolder({ ...request, known }, parts)) === 0) throw notStored(fork);
  return join(folder, fork.path);
}

const notStored = ({ runId, path }: Pick<Origin, 'runId' | 'path'>): AppError =>
  new AppError(
    'worker.transfer_refused',
    `fork run ${runId}: the checkpoint "${path}" is not stored; name another one`,
  );

/** Fetches the model that a forked run starts from. */
async function prepareFork(given: Assignment, parts: FetchParts): Promise<FetchedModel | undefined> {
  const folder = join(parts.forks, given.runId);
  const model = join(folder, 'model');
  const marker = join(folder, forkName);
  if (existsSync(marker)) return existsSync(model) ? findModel(model, folder) : undefined;
  const begun =
    given.fork ?? (given.resume === null ? undefined : await findOrigin(given.runId, folder, parts));
  if (begun === undefined) return undefined;
  // the model of an imported run may lie on no machine here; its weights are in the checkpoint
  const origin = (await findStart(begun, folder, parts)) ?? (isModelHere(given) ? undefined : begun);
  mkdirSync(folder, { recursive: true });
  if (origin === undefined) {
    writeFileSync(marker, JSON.stringify(begun));
    return undefined;
  }
  const prefix = `${origin.path}/policy/`;
  const fresh = join(folder, 'fetched');
  rmSync(fresh, { recursive: true, force: true });
  const wants = ({ path }: StoredFile): boolean => !path.endsWith('/optimizer.safetensors');
  const count = await fetchFolder({ runId: origin.runId, prefix, target: fresh, wants }, parts);
  if (count === 0) {
    // the weights are in the run's own checkpoint; the trainer reports an error if the reference policy needs the model
    if (given.resume !== null) return undefined;
    throw notStored(origin);
  }
  rmSync(model, { recursive: true, force: true });
  renameSync(join(fresh, prefix), model);
  rmSync(fresh, { recursive: true, force: true });
  if (needsBase(model)) await fetchBase(origin.runId, folder, parts);
  writeFileSync(marker, JSON.stringify(begun));
  return findModel(model, folder);
}

const baseName = 'base';

function findModel(folder: string, parent: string): FetchedModel {
  const base = join(parent, baseName);
  return { folder, base: needsBase(folder) ? (existsSync(base) ? base : 'spec') : undefined };
}

function isModelHere({ spec }: Assignment): boolean {
  const { path } = (spec['model'] ?? {}) as { readonly path?: string };
  return path === undefined || spec['lora'] !== undefined || existsSync(path);
}

/**
 * The checkpoint whose weights a fork started from. One that continues started where its parent did; undefined: with the
 * model of its spec.
 */
async function findStart(origin: Origin, folder: string, parts: FetchParts): Promise<Origin | undefined> {
  if (!origin.continues) return origin;
  const before = await findOrigin(origin.runId, folder, parts);
  return before && findStart(before, folder, parts);
}

/**
 * Fetches what the adapters of a run stand on into `base` of a folder, if the run is a fork that began with a whole
 * model. Otherwise the model of the spec is their base.
 */
async function fetchBase(runId: string, folder: string, parts: FetchParts): Promise<void> {
  const begun = await findOrigin(runId, folder, parts);
  const origin = begun && (await findStart(begun, folder, parts));
  if (origin === undefined) return;
  const fresh = join(folder, 'fetched');
  rmSync(fresh, { recursive: true, force: true });
  const prefix = `${origin.path}/policy/`;
  const wants = ({ path }: StoredFile): boolean => !path.endsWith('/optimizer.safetensors');
  const count = await fetchFolder({ runId: origin.runId, prefix, target: fresh, wants }, parts);
  if (count === 0)
    throw new AppError(
      'worker.transfer_refused',
      `fetch the base of run ${runId}: the checkpoint "${origin.path}" of run ${origin.runId} is not stored any more; merge the adapter on a host that has it`,
    );
  if (needsBase(join(fresh, prefix))) {
    rmSync(fresh, { recursive: true, force: true });
    return fetchBase(origin.runId, folder, parts);
  }
  rmSync(join(folder, baseName), { recursive: true, force: true });
  renameSync(join(fresh, prefix), join(folder, baseName));
  rmSync(fresh, { recursive: true, force: true });
}

/** Reads from the artifacts of a run which checkpoint it was forked from, for workers that did not start it. */
async function findOrigin(runId: string, folder: string, parts: FetchParts): Promise<Origin | undefined> {
  const listed = await retryTransfer((signal) => parts.store.list(runId, forkName, signal), parts);
  const stored = listed.find(({ path }) => path === forkName);
  if (stored === undefined) return undefined;
  const file = join(folder, `${forkName}.fetched`);
  mkdirSync(folder, { recursive: true });
  await retryTransfer((signal) => parts.store.fetch(runId, stored, file, signal), parts);
  const origin = originSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (origin.success) return origin.data;
  throw new AppError(
    'worker.transfer_refused',
    `resume run ${runId}: the stored "${forkName}" does not name a checkpoint of a run; upload it again from the worker that started the run`,
  );
}

/** File that names the checkpoint a run was forked from; uploaded with its artifacts. */
export const forkFile = (forks: string, runId: string): string => join(forks, runId, forkName);

/** Fetches one checkpoint into a folder, or takes it from the run folder; for evaluating it. */
export async function prepareCheckpoint(
  given: Assignment,
  target: string,
  parts: FetchParts,
): Promise<FetchedModel> {
  const path = given.evaluate?.path ?? '';
  const prefix = `${path}/`;
  const known = join(parts.runs, given.runId);
  rmSync(join(target, path), { recursive: true, force: true });
  const count = await fetchFolder({ runId: given.runId, prefix, target, known }, parts);
  if (count > 0) {
    const policy = join(target, path, 'policy');
    if (needsBase(policy)) await fetchBase(given.runId, target, parts);
    return { ...findModel(policy, target), folder: join(target, path) };
  }
  throw new AppError(
    'worker.transfer_refused',
    `evaluate ${path} of run ${given.runId}: no such checkpoint is stored; name another`,
  );
}

/** Fetches the files with the trajectories that an evaluation is about into a folder laid out as a run. */
export async function fetchTrajectories(
  { runId, evaluate }: Assignment,
  target: string,
  parts: FetchParts,
): Promise<void> {
  const { continue: continued, rescore } = evaluate ?? {};
  const steps = rescore?.steps ?? (continued === undefined ? [] : [continued.step]);
  if (steps.length === 0) return;
  rmSync(target, { recursive: true, force: true });
  const known = join(parts.runs, runId);
  for (const step of steps) {
    const prefix = runLayout.trajectoriesOf(step);
    if ((await fetchFolder({ runId, prefix, target, known }, parts)) === 0)
      throw new AppError(
        'worker.transfer_refused',
        `${continued === undefined ? 'score trajectories' : `continue ${continued.trajectory}`} of run ${runId}: "${prefix}" is not stored; choose those whose file has arrived`,
      );
  }
}

/** @file Creates runs: resolves a spec against the installed plugins, stores the run with its sources, and queues it. */
import { AppError } from '@espalier/contracts';
import type { JobNeeds } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller, canSee } from '../../access/caller.js';
import { AuditService } from '../../access/audit.service.js';
import { createId } from '../../database/create-id.js';
import { RunLog } from '../../database/run-log.js';
import type { Subject } from '../../database/write-queues.js';
import { JobService } from '../../scheduling/job.service.js';
import { UsageQuotas } from '../../scheduling/usage-quotas.js';
import { newJob } from '../../scheduling/new-job.js';
import type { ResolvedSpec, SpecWarning } from '../../plugins/catalogue-messages.js';
import { PluginCatalogue } from '../../plugins/plugin-catalogue.service.js';
import { chooseNeeds, findIdleDevices, validateNeeds } from './choose-needs.js';
import { diffSpecs } from '../compare/compare-runs.js';
import { isCheckpointStored } from '../dependent-forks.js';
import { claimIdentity, findCreatedRun, identify, type RequestIdentity } from './idempotency.js';
import { newRun, storeWarnings } from './new-run.js';
import { RunEstimator } from './run-estimator.service.js';
import { type RunPlan, toDerived } from './run-plan.js';
import type { RunRequest } from '../run-request.js';
import { isInvalidInput, notPossible } from '../refusals.js';
import { Run } from '../../database/entities/run.js';

/** Where a run's weights come from when not from the model of its spec. */
interface ForkParent {
  readonly parentRunId: string;
  readonly parentStep: number;
  readonly forkPath: string;
  readonly continues: boolean;
}

/** What a run is forked from. */
export interface Origin {
  readonly fork: ForkParent;
  readonly parent: Pick<Run, 'needs' | 'spec'>;
  readonly identity?: RequestIdentity | undefined;
}

/** A resolved spec with the devices for it. */
interface Prepared extends ResolvedSpec {
  readonly needs: JobNeeds;
}

@Injectable()
export class RunCreator {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly catalogue: PluginCatalogue,
    private readonly estimator: RunEstimator,
    private readonly jobs: JobService,
    private readonly quotas: UsageQuotas,
    private readonly audit: AuditService,
  ) {}

  /** Resolves a spec and estimates its cost without creating a run. */
  async plan(caller: Caller, request: RunRequest, withEstimate: boolean, origin?: Origin): Promise<RunPlan> {
    const project = projectOf(caller, request.project);
    const prepared = await this.prepare(caller, request, origin);
    const { spec, derived, hash, sources, inert, plugins, needs, warnings } = prepared;
    const cost = withEstimate
      ? await this.estimator.estimate(spec)
      : {
          estimate: null,
          estimateReason: 'no estimate was requested; planRun returns one with `estimate: true`',
          warnings: [],
        };
    return {
      name: request.name ?? nameOf(spec),
      project,
      spec,
      specHash: hash,
      sources,
      inert,
      plugins,
      needs,
      derived: toDerived(derived),
      steps: stepsOf(spec),
      estimate: cost.estimate,
      estimateReason: cost.estimateReason,
      ...notForked,
      ...origin?.fork,
      differences: [],
      warnings: [...warnings.map(({ message }) => message), ...cost.warnings],
    };
  }

  /**
   * Creates a run and queues it, or returns the one that the same request created before.
   *
   * @throws access.limit_exceeded, run.idempotency_key_reused
   */
  async create(caller: Caller, request: RunRequest, origin?: Origin): Promise<Run> {
    const project = projectOf(caller, request.project);
    const identity = origin?.identity ?? identify(project, 'create', request);
    const before = identity && (await this.log.read((manager) => findCreatedRun(manager, identity)));
    if (before) return before;
    await this.quotas.checkStorage(caller.keyId);
    const prepared = await this.prepare(caller, request, origin).catch(async (error: unknown) => {
      if (isInvalidInput(error)) await this.audit.record(caller, 'run.create', '', error.code, { project });
      throw error;
    });
    const { spec, hash, plugins, needs, warnings } = prepared;
    const fork = origin?.fork;
    const id = createId('run');
    const now = Date.now();
    const run = newRun({
      id,
      project,
      name: request.name ?? nameOf(spec),
      spec,
      specHash: hash,
      steps: stepsOf(spec),
      priority: request.priority,
      tags: request.tags,
      group: request.group,
      note: request.note,
      needs,
      source: request.source ?? null,
      overrides: request.overrides,
      plugins: [...plugins],
      createdAt: now,
      createdBy: caller.keyName,
      ...fork,
      ...identity,
    });
    const job = newJob({
      id: createId('job'),
      runId: id,
      project,
      needs,
      createdAt: now,
      createdBy: caller.keyId,
      priority: request.priority,
    });
    const action = fork === undefined ? 'run.create' : 'run.fork';
    const created = await this.log.write(subjectOf(id, fork, identity), async (manager) => {
      // the same request may have come twice at once
      const known = await claimIdentity(manager, identity);
      if (known !== null) return known;
      if (fork !== undefined && !(await isCheckpointStored(manager, fork.parentRunId, fork.forkPath)))
        return undefined;
      await this.quotas.checkQueued(manager, caller.keyId);
      await manager.insert(Run, run as never);
      await this.jobs.create(job, manager);
      const records = await storeWarnings(this.log, manager, run, warnings);
      const stored = await this.log.append(manager, id, records);
      this.log.afterCommit(manager, () => this.log.publish(stored));
      return run;
    });
    if (created === undefined) throw await this.refuseFork(caller, fork as ForkParent);
    if (created !== run) return created;
    await this.audit.record(caller, action, id, 'done', { project, ...fork });
    return this.source.getRepository(Run).findOneByOrFail({ id });
  }

  private async refuseFork(caller: Caller, { parentRunId, forkPath }: ForkParent): Promise<AppError> {
    await this.audit.record(caller, 'run.fork', parentRunId, 'run.not_possible', { forkPath });
    const message = `fork run ${parentRunId}: its checkpoint "${forkPath}" was removed meanwhile; choose one of those that are stored`;
    return notPossible(message);
  }

  /** Resolves a spec and chooses the devices for it. */
  private async prepare(caller: Caller, request: RunRequest, origin: Origin | undefined): Promise<Prepared> {
    const resolved = await this.resolve(caller, request, origin);
    const needs = chooseNeeds(request.needs, resolved.spec, origin?.parent);
    if (origin?.fork.continues === true) validateContinued(origin, resolved.spec);
    const warnings = [...warningsOf(resolved, origin), ...findIdleDevices(needs, resolved.spec)];
    validateNeeds(needs, resolved.spec);
    return { ...resolved, needs, warnings };
  }

  private async resolve(
    { role }: Caller,
    { source, spec, overrides }: RunRequest,
    origin: Origin | undefined,
  ): Promise<ResolvedSpec> {
    if ((source === undefined) === (spec === undefined))
      throw new AppError(
        'server.invalid_input',
        'create a run: give its spec either as `source` (YAML text) or as `spec` (JSON)',
      );
    return this.catalogue.resolve({
      source: source ?? JSON.stringify(spec),
      overrides,
      showsRoots: role === 'admin',
      isFork: origin !== undefined,
    });
  }
}

/** @throws access.denied when the key may not use the project */
export function projectOf(caller: Caller, requested: string | undefined): string {
  const [first] = caller.projects;
  const project = requested ?? (first === undefined || first === '*' ? 'default' : first);
  if (canSee(caller, project)) return project;
  throw new AppError(
    'access.denied',
    `use project "${project}": the key "${caller.keyName}" has ${caller.projects.join(', ') || 'no projects'}; name one of these, or use another key`,
  );
}

/** Refuses a fork that could not go on with what the checkpoint holds. @throws run.not_possible */
function validateContinued({ fork, parent }: Origin, spec: ResolvedSpec['spec']): void {
  const operation = `continue run ${fork.parentRunId} from step ${fork.parentStep}`;
  const changed = diffSpecs([parent.spec, spec]).find(({ path }) => /^(?:model|lora)(?:\.|$)/.test(path));
  if (changed !== undefined)
    throw notPossible(
      `${operation}: ${changed.path} differs, and the moments belong to the model as it was; leave model and lora as they were, or fork without \`continue\` to begin with the weights only`,
    );
  if (stepsOf(spec) > fork.parentStep) return;
  throw notPossible(
    `${operation}: it has completed ${fork.parentStep} steps and steps is ${stepsOf(spec)}; raise steps (steps=${fork.parentStep + 10})`,
  );
}

const notForked = { parentRunId: null, parentStep: null, forkPath: null, continues: false };

/** A fork starts from a checkpoint, so the model of its spec may be missing. */
function warningsOf({ warnings }: ResolvedSpec, origin: Origin | undefined): readonly SpecWarning[] {
  return origin === undefined ? warnings : warnings.filter(({ code }) => code !== 'model.not_found');
}

const nameOf = (spec: Readonly<Record<string, unknown>>): string => String(spec['name']);
const stepsOf = (spec: Readonly<Record<string, unknown>>): number => Number(spec['steps']);

/** A fork excludes the removal of its parent's checkpoints, and a request excludes its own repetition. */
function subjectOf(id: string, fork?: ForkParent, identity?: RequestIdentity): Subject {
  if (fork !== undefined) return { runId: fork.parentRunId };
  if (identity === undefined) return { runId: id };
  return `create ${identity.project} ${identity.idempotencyKey}`;
}

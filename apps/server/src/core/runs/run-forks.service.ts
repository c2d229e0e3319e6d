/** @file Uses a checkpoint of a run: forks the run with changed settings, or evaluates it. */
import { forgetDerived } from '@espalier/config/plain';
import { maxContinuedTurns } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import type { Caller } from '../access/caller.js';
import { AuditService } from '../access/audit.service.js';
import { createId } from '../database/create-id.js';
import { RunLog } from '../database/run-log.js';
import type { EvaluateRequest, Job } from '../database/entities/job.js';
import { TrajectoryQueries } from '../history/trajectories/trajectory-queries.service.js';
import { JobService } from '../scheduling/job.service.js';
import { UsageQuotas } from '../scheduling/usage-quotas.js';
import { newJob } from '../scheduling/new-job.js';
import { chooseNeeds } from './create/choose-needs.js';
import { diffSpecs } from './compare/compare-runs.js';
import { RunCheckpoints } from './run-checkpoints.service.js';
import { findCreatedRun, identify } from './create/idempotency.js';
import { type Origin, RunCreator } from './create/run-creator.service.js';
import type { RunPlan } from './create/run-plan.js';
import { RunQueries } from './run-queries.service.js';
import type { EvaluateRun, ForkRequest, PlanFork, RunRequest } from './run-request.js';
import { notPossible } from './refusals.js';
import { Run } from '../database/entities/run.js';

/** Continuations of one job, over all turns. */
const mostContinuations = 20_000;

@Injectable()
export class RunForks {
  constructor(
    private readonly queries: RunQueries,
    private readonly trajectories: TrajectoryQueries,
    private readonly checkpoints: RunCheckpoints,
    private readonly creator: RunCreator,
    private readonly jobs: JobService,
    private readonly quotas: UsageQuotas,
    private readonly log: RunLog,
    private readonly audit: AuditService,
  ) {}

  /** Creates a run that starts from a checkpoint, with the parent's spec and changes to it. */
  async fork(caller: Caller, runId: string, request: ForkRequest): Promise<Run> {
    const { id, project } = await this.queries.find(caller, runId);
    const identity = identify(project, `fork ${id}`, request);
    // before a checkpoint is chosen, as a newer one may be stored by now
    const before = identity && (await this.log.read((manager) => findCreatedRun(manager, identity)));
    if (before) return before;
    const fork = await this.prepare(caller, id, request);
    if (request.twin) await this.createTwin(caller, fork, request);
    return this.creator.create(caller, fork.request, { ...fork, identity });
  }

  /**
   * Queues the unchanged fork beside a changed one, unless there is one already. The changed one is checked first, so
   * that a twin never stands alone for a mistake in it.
   */
  private async createTwin(caller: Caller, changed: PreparedFork, request: ForkRequest): Promise<void> {
    const { parent, fork } = changed;
    if (!request.continue)
      throw notPossible(
        `fork run ${parent.id} with a twin: a fork that begins with the weights only cannot repeat its parent; add \`continue\``,
      );
    const { specHash } = await this.creator.plan(caller, changed.request, false, changed);
    if (specHash === parent.specHash) return;
    const { parentRunId, parentStep } = fork;
    const before = await this.log.read((manager) =>
      manager.existsBy(Run, {
        parentRunId,
        parentStep,
        continues: true,
        specHash: parent.specHash,
        state: Not(In(['failed', 'cancelled'])),
      }),
    );
    if (before) return;
    const { idempotencyKey, ...rest } = request;
    const same = {
      ...rest,
      step: parentStep,
      checkpoint: undefined,
      overrides: [],
      note: '',
      name: `twin of ${parent.name} from ${parentStep}`.slice(0, 200),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey: `twin ${idempotencyKey}`.slice(0, 255) }),
    };
    const twin = await this.prepare(caller, parent.id, same);
    const identity = identify(parent.project, `twin ${parent.id}`, same);
    await this.creator.create(caller, twin.request, { ...twin, identity });
  }

  /** Resolves a fork and its differences from the parent without creating a run. */
  async planFork(caller: Caller, runId: string, { estimate, ...request }: PlanFork): Promise<RunPlan> {
    const fork = await this.prepare(caller, runId, { ...request, twin: false });
    const plan = await this.creator.plan(caller, fork.request, estimate, fork);
    return describeFork(plan, fork.parent);
  }

  /** Queues an evaluation of a checkpoint. */
  async evaluate(caller: Caller, runId: string, request: EvaluateRun): Promise<Job> {
    const run = await this.queries.find(caller, runId);
    validateComplete(run, 'evaluate');
    const chosen = await this.checkpoints.choose(run.id, request);
    const { priority } = request;
    const measured = await this.planMeasured(caller, run.id, request);
    const needs = chooseNeeds(undefined, run.spec, run);
    await this.quotas.checkStorage(caller.keyId);
    const newEvaluation = newJob({
      id: createId('job'),
      runId: run.id,
      project: run.project,
      needs,
      kind: 'evaluate',
      createdAt: Date.now(),
      createdBy: caller.keyId,
      priority,
      evaluate: { path: chosen.path, step: chosen.step, ...measured },
    });
    const job = await this.log.write({ runId: run.id }, async (manager) => {
      await this.quotas.checkQueued(manager, caller.keyId);
      return this.jobs.create(newEvaluation, manager);
    });
    await this.audit.record(caller, 'run.evaluate', run.id, 'done', { jobId: job.id, step: chosen.step });
    return job;
  }

  /** What is played: states of a split, or continuations of a trajectory. @throws server.not_found, run.not_possible */
  private async planMeasured(
    caller: Caller,
    runId: string,
    { trajectory: id, turns: wanted, split, episodes }: EvaluateRun,
  ): Promise<Pick<EvaluateRequest, 'episodes' | 'split' | 'continue'>> {
    if (id === undefined) {
      if (wanted === undefined) return { episodes: episodes ?? 128, split: split ?? 'test' };
      throw notPossible(`evaluate run ${runId}: \`turns\` are of a trajectory; name it, or leave them out`);
    }
    if (split !== undefined)
      throw notPossible(
        `continue ${id} of run ${runId}: it has its own state, so \`split\` has no effect; leave it out`,
      );
    const row = await this.trajectories.find(runId, id);
    // its file must be there, and says how many turns it has
    const { turns: played } = await this.trajectories.read(row, caller.keyId);
    const turns = [...new Set(wanted ?? played.map(({ index }) => index))].sort((a, b) => a - b);
    const strange = turns.find((turn) => turn >= played.length);
    if (strange !== undefined || turns.length === 0)
      throw notPossible(
        `continue ${id} of run ${runId}: it has ${strange === undefined ? 'no turn' : `no turn ${strange}`}; ${played.length === 0 ? 'it failed before the first' : `its turns are 0..${played.length - 1}`}`,
      );
    const each = episodes ?? 32;
    if (turns.length > maxContinuedTurns || turns.length * each > mostContinuations)
      throw notPossible(
        `continue ${id} of run ${runId}: ${each} times from each of ${turns.length} turns; at most ${maxContinuedTurns} turns and ${mostContinuations} continuations in all: name fewer \`turns\` or \`episodes\``,
      );
    return { episodes: each, split: 'test', continue: { trajectory: id, step: row.step, turns } };
  }

  private async prepare(caller: Caller, runId: string, request: ForkRequest): Promise<PreparedFork> {
    const parent = await this.queries.find(caller, runId);
    validateComplete(parent, 'fork');
    const chosen = await this.checkpoints.choose(parent.id, request);
    const { name, overrides, priority, tags, group, note } = request;
    return {
      parent,
      request: {
        source: undefined,
        spec: forgetDerived(parent.spec),
        overrides,
        project: parent.project,
        priority,
        tags,
        group,
        note,
        name: name ?? `${parent.name} from ${chosen.step}`.slice(-200),
        needs: request.needs,
      },
      fork: {
        parentRunId: parent.id,
        parentStep: chosen.step,
        forkPath: chosen.path,
        continues: request.continue,
      },
    };
  }
}

/** A fork, expressed as a request for a run. */
interface PreparedFork extends Origin {
  readonly request: RunRequest;
  readonly parent: Run;
}

/** Refuses a run whose import has not ended. @throws run.not_possible */
function validateComplete({ id, state }: Run, verb: string): void {
  if (state !== 'importing') return;
  throw notPossible(
    `${verb} run ${id}: its import has not ended; run the same import again to complete it first`,
  );
}

/**
 * Describes a fork by the plan of its spec. Options that the fork does not change come from the parent, and count as not
 * set by the user.
 */
function describeFork(plan: RunPlan, parent: Pick<Run, 'spec'>): RunPlan {
  const sources = Object.entries(plan.sources).map(([path, from]) => [
    path,
    from === 'file' ? 'parent' : from,
  ]);
  return {
    ...plan,
    sources: Object.fromEntries(sources) as RunPlan['sources'],
    inert: plan.inert.map((option) => ({
      ...option,
      set: option.set && isChanged(plan.sources, option.path),
    })),
    differences: diffSpecs([parent.spec, plan.spec]),
  };
}

/** An option is changed if one inside it is. */
function isChanged(sources: RunPlan['sources'], path: string): boolean {
  return Object.entries(sources).some(
    ([at, from]) => from === '--set' && (at === path || at.startsWith(`${path}.`)),
  );
}

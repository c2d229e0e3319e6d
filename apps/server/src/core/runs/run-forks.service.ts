/** @file Forks a run: what begins from one of its checkpoints, with changed settings. */
import { forgetDerived, isOverridden } from '@espalier/config/plain';
import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import type { Caller } from '../access/caller.js';
import { RunLog } from '../database/run-log.js';
import { diffSpecs } from './compare/compare-runs.js';
import { RunCheckpoints } from './run-checkpoints.service.js';
import { findCreatedRun, identify } from './create/idempotency.js';
import { type Origin, RunCreator } from './create/run-creator.service.js';
import type { RunPlan } from './create/run-plan.js';
import { RunQueries } from './run-queries.service.js';
import type { ForkRequest, PlanFork, RunRequest } from './run-request.js';
import { notPossible, validateComplete, validateWeights } from './refusals.js';
import { Run } from '../database/entities/run.js';

@Injectable()
export class RunForks {
  constructor(
    private readonly queries: RunQueries,
    private readonly checkpoints: RunCheckpoints,
    private readonly creator: RunCreator,
    private readonly log: RunLog,
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

  private async prepare(caller: Caller, runId: string, request: ForkRequest): Promise<PreparedFork> {
    const parent = await this.queries.find(caller, runId);
    validateComplete(parent, 'fork');
    if (!request.continue)
      validateWeights(parent, 'fork', 'a fork that continues (`continue`) begins from them there');
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
      set: option.set && isOverridden(Object.entries(plan.sources), option.path),
    })),
    differences: diffSpecs([parent.spec, plan.spec]),
  };
}

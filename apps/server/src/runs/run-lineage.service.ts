/** @file What begins from a checkpoint of a run: another run with changed settings, or an evaluation. */
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { AuditService } from '../audit/audit.service.js';
import { createId } from '../database/create-id.js';
import type { InvalidSpec, NotPossible } from '../graphql/refusal.js';
import type { Job } from '../jobs/job.entity.js';
import { JobService } from '../jobs/job.service.js';
import { newJob } from '../jobs/new-job.js';
import { RunCheckpoints } from './run-checkpoints.service.js';
import { RunCreator } from './run-creator.service.js';
import { RunQueries } from './run-queries.service.js';
import type { EvaluateRun, ForkRequest } from './run-request.js';
import { isRefusal, notPossible } from './run-results.js';
import type { Run } from './run.entity.js';

@Injectable()
export class RunLineage {
  constructor(
    private readonly queries: RunQueries,
    private readonly checkpoints: RunCheckpoints,
    private readonly creator: RunCreator,
    private readonly jobs: JobService,
    private readonly audit: AuditService,
  ) {}

  /** Makes a run that begins with the weights of a checkpoint, with the parent's spec and changes to it. */
  async fork(caller: Caller, runId: string, request: ForkRequest): Promise<Run | InvalidSpec | NotPossible> {
    const parent = await this.queries.find(caller, runId);
    const chosen = refuseArriving(parent, 'fork') ?? (await this.checkpoints.choose(parent.id, request));
    if (isRefusal(chosen)) return chosen;
    const { derived: _follows, ...spec } = parent.spec;
    const { name, overrides, priority, tags, note } = request;
    const lineage = { parentRunId: parent.id, parentStep: chosen.step, forkPath: chosen.path };
    return this.creator.create(
      caller,
      {
        ...{ source: undefined, spec, overrides, project: parent.project, priority, tags, note },
        ...{ name: name ?? `${parent.name} from ${chosen.step}`.slice(-200), dryRun: false },
        needs: request.needs ?? parent.needs,
      },
      lineage,
    );
  }

  /** Queues an evaluation of a checkpoint. */
  async evaluate(caller: Caller, runId: string, request: EvaluateRun): Promise<Job | NotPossible> {
    const run = await this.queries.find(caller, runId);
    const chosen = refuseArriving(run, 'evaluate') ?? (await this.checkpoints.choose(run.id, request));
    if (isRefusal(chosen)) return chosen;
    const { episodes, split, priority } = request;
    const job = await this.jobs.create(
      newJob({
        ...{ id: createId('job'), runId: run.id, project: run.project, needs: run.needs, kind: 'evaluate' },
        ...{ createdAt: Date.now(), createdBy: caller.keyId, priority },
        evaluate: { path: chosen.path, step: chosen.step, episodes, split },
      }),
    );
    await this.audit.record(caller, 'run.evaluate', run.id, 'done', { jobId: job.id, step: chosen.step });
    return job;
  }
}

/** What is still being imported is not whole. */
function refuseArriving({ id, state }: Run, verb: string): NotPossible | undefined {
  if (state !== 'importing') return undefined;
  return notPossible(
    'run.not_possible',
    `${verb} run ${id}: its import has not ended; run the same import again to complete it first`,
  );
}

import { Args, ID, Int, Mutation, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { as, orRefuse } from './refusal.js';
import { RunCreator } from '../../core/runs/run-creator.service.js';
import { RunAnnotations } from '../../core/runs/run-annotations.service.js';
import { RunDeletion } from '../../core/runs/run-deletion.service.js';
import { RunForks } from '../../core/runs/run-forks.service.js';
import {
  editRequest,
  evaluateRequest,
  forkRequest,
  parseRequest,
  priorityRequest,
  runRequest,
} from '../../core/runs/run-request.js';
import * as results from './run-results.js';
import { RunLifecycle } from '../../core/runs/run-lifecycle.service.js';
import { CreateRunInput, EditRunInput, EvaluateRunInput, ForkRunInput } from './run.input.js';

const idOf = { name: 'runId', type: () => ID, description: 'The run.' };

const acceptPluginsArg = {
  type: () => Boolean,
  defaultValue: false,
  description: 'Resume with the plugins installed now, even if it was created with others.',
};

/** Makes and steers runs. */
@Resolver()
export class RunMutations {
  constructor(
    private readonly creator: RunCreator,
    private readonly lifecycle: RunLifecycle,
    private readonly forks: RunForks,
    private readonly annotations: RunAnnotations,
    private readonly deletion: RunDeletion,
  ) {}

  @Mutation(() => results.CreateRunResult, {
    nullable: true,
    description: 'Makes a run from a spec and queues it.',
  })
  @Access('operator')
  async createRun(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreateRunInput, description: 'What to run.' }) input: CreateRunInput,
  ): Promise<typeof results.CreateRunResult> {
    return orRefuse(results.createRefusals, async () => {
      const request = parseRequest(runRequest, input, 'create a run');
      return request.dryRun
        ? as('RunPlan', await this.creator.plan(caller, request, false))
        : as('Run', await this.creator.create(caller, request));
    });
  }

  @Mutation(() => results.PlanRunResult, {
    nullable: true,
    description:
      'Resolves a spec and estimates its cost without creating a run. Benchmarks the machine, so it takes seconds.',
  })
  @Access('operator')
  async planRun(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreateRunInput, description: 'What would be run.' }) input: CreateRunInput,
    @Args('estimate', {
      type: () => Boolean,
      defaultValue: true,
      description: 'Estimate tokens, memory and time, too.',
    })
    estimate: boolean,
  ): Promise<typeof results.PlanRunResult> {
    return orRefuse(results.createRefusals, async () =>
      as('RunPlan', await this.creator.plan(caller, parseRequest(runRequest, input, 'plan a run'), estimate)),
    );
  }

  @Mutation(() => results.ControlRunResult, {
    nullable: true,
    description: 'Lets a run save and stop; it can be resumed.',
  })
  @Access('operator')
  async pauseRun(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
  ): Promise<typeof results.ControlRunResult> {
    return orRefuse(results.controlRefusals, async () =>
      as('Run', await this.lifecycle.pause(caller, runId)),
    );
  }

  @Mutation(() => results.ControlRunResult, {
    nullable: true,
    description:
      'Requeues a stopped run; it resumes from its newest checkpoint. Refused if its plugins have changed.',
  })
  @Access('operator')
  async resumeRun(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
    @Args('acceptPlugins', acceptPluginsArg) acceptPlugins: boolean,
  ): Promise<typeof results.ControlRunResult> {
    return orRefuse(results.controlRefusals, async () =>
      as('Run', await this.lifecycle.resume(caller, runId, acceptPlugins)),
    );
  }

  @Mutation(() => results.ControlRunResult, {
    nullable: true,
    description: 'Ends a run and its evaluations; it saves first unless `now` is set.',
  })
  @Access('operator')
  async cancelRun(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
    @Args('now', { type: () => Boolean, defaultValue: false, description: 'End its process at once.' })
    now: boolean,
  ): Promise<typeof results.ControlRunResult> {
    return orRefuse(results.controlRefusals, async () =>
      as('Run', await this.lifecycle.cancel(caller, runId, now)),
    );
  }

  @Mutation(() => results.CancelEvaluationResult, {
    nullable: true,
    description: 'Ends one evaluation of a run; its training and its other evaluations continue.',
  })
  @Access('operator')
  async cancelEvaluation(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
    @Args('jobId', { type: () => ID, description: 'The job of the evaluation.' }) jobId: string,
    @Args('now', { type: () => Boolean, defaultValue: false, description: 'End its process at once.' })
    now: boolean,
  ): Promise<typeof results.CancelEvaluationResult> {
    return orRefuse(results.cancelEvaluationRefusals, async () =>
      as('Job', await this.lifecycle.cancelEvaluation(caller, runId, jobId, now)),
    );
  }

  @Mutation(() => results.UpdateRunResult, {
    nullable: true,
    description: 'Changes the priority of a run.',
  })
  @Access('operator')
  async setRunPriority(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
    @Args('priority', { type: () => Int, description: '−100 to 100; higher is scheduled first.' })
    priority: number,
  ): Promise<typeof results.UpdateRunResult> {
    return orRefuse(results.forkRefusals, async () => {
      const given = parseRequest(priorityRequest, { priority }, 'set the priority of a run');
      return as('Run', await this.lifecycle.setPriority(caller, runId, given.priority));
    });
  }

  @Mutation(() => results.ForkRunResult, {
    nullable: true,
    description:
      'Creates a run that starts from the weights of a checkpoint, with changed settings; with `dryRun` only plans it.',
  })
  @Access('operator')
  async forkRun(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
    @Args('input', { type: () => ForkRunInput, description: 'From where, and what changes.' })
    input: ForkRunInput,
  ): Promise<typeof results.ForkRunResult> {
    return orRefuse(results.forkRefusals, async () => {
      const request = parseRequest(forkRequest, input, 'fork a run');
      return request.dryRun
        ? as('RunPlan', await this.forks.planFork(caller, runId, request))
        : as('Run', await this.forks.fork(caller, runId, request));
    });
  }

  @Mutation(() => results.EvaluateRunResult, {
    nullable: true,
    description: 'Queues an evaluation of a checkpoint on fixed states.',
  })
  @Access('operator')
  async evaluateRun(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
    @Args('input', { type: () => EvaluateRunInput, description: 'Which checkpoint, and how.' })
    input: EvaluateRunInput,
  ): Promise<typeof results.EvaluateRunResult> {
    return orRefuse(results.forkRefusals, async () =>
      as(
        'Job',
        await this.forks.evaluate(caller, runId, parseRequest(evaluateRequest, input, 'evaluate a run')),
      ),
    );
  }

  @Mutation(() => results.ControlRunResult, {
    nullable: true,
    description:
      'Deletes a stopped run with its history, trajectories and artifacts; returns the deleted run.',
  })
  @Access('operator')
  async deleteRun(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
  ): Promise<typeof results.ControlRunResult> {
    return orRefuse(results.controlRefusals, async () =>
      as('Run', await this.deletion.delete(caller, runId)),
    );
  }

  @Mutation(() => results.UpdateRunResult, {
    nullable: true,
    description: 'Replaces what people write about a run; a field that is not given stays as it is.',
  })
  @Access('operator')
  async editRun(
    @CurrentCaller() caller: Caller,
    @Args(idOf) runId: string,
    @Args('input', { type: () => EditRunInput, description: 'What it is from now on.' }) input: EditRunInput,
  ): Promise<typeof results.UpdateRunResult> {
    return orRefuse(results.forkRefusals, async () =>
      as('Run', await this.annotations.edit(caller, runId, parseRequest(editRequest, input, 'edit a run'))),
    );
  }
}

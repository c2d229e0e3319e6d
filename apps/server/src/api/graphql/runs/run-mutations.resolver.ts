import { Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../core/access/caller.js';
import { RunAnnotations } from '../../../core/runs/run-annotations.service.js';
import { RunCreator } from '../../../core/runs/create/run-creator.service.js';
import { RunDeletion } from '../../../core/runs/run-deletion.service.js';
import { RunEvaluations } from '../../../core/runs/run-evaluations.service.js';
import { RunForks } from '../../../core/runs/run-forks.service.js';
import { RunLifecycle } from '../../../core/runs/run-lifecycle.service.js';
import {
  editRequest,
  evaluateRequest,
  forkRequest,
  planForkRequest,
  planRequest,
  runRequest,
} from '../../../core/runs/run-request.js';
import { Access, CurrentCaller, ChangesNothing } from '../../access/access.decorator.js';
import { as, Input, orRefuse } from '../refusal.js';
import * as inputs from './run.input.js';
import * as results from './run-results.js';
import { parseInput } from '../../../core/input/parse-input.js';

/** Creates and controls runs. */
@Resolver()
@Access('operator')
export class RunMutations {
  constructor(
    private readonly creator: RunCreator,
    private readonly lifecycle: RunLifecycle,
    private readonly forks: RunForks,
    private readonly evaluations: RunEvaluations,
    private readonly annotations: RunAnnotations,
    private readonly deletion: RunDeletion,
  ) {}

  @Mutation(() => results.CreateRunResult, {
    nullable: true,
    description: 'Creates a run from a spec and queues it.',
  })
  createRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.CreateRunInput) input: inputs.CreateRunInput,
  ): Promise<typeof results.CreateRunResult> {
    return orRefuse(results.createRefusals, async () => {
      const request = parseInput(runRequest, input, 'create a run');
      return as('Run', await this.creator.create(caller, request));
    });
  }

  @Mutation(() => results.PlanRunResult, {
    nullable: true,
    description:
      'Resolves a spec and estimates its cost without creating a run. The estimate benchmarks the machine, so it takes seconds.',
  })
  @ChangesNothing()
  planRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.PlanRunInput) input: inputs.PlanRunInput,
  ): Promise<typeof results.PlanRunResult> {
    return orRefuse(results.createRefusals, async () => {
      const { estimate, ...request } = parseInput(planRequest, input, 'plan a run');
      return as('RunPlan', await this.creator.plan(caller, request, estimate));
    });
  }

  @Mutation(() => results.ControlRunResult, {
    nullable: true,
    description: 'Lets a run save and stop; it can be resumed.',
  })
  pauseRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.PauseRunInput) { runId }: inputs.PauseRunInput,
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
  resumeRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.ResumeRunInput) { runId, acceptPlugins }: inputs.ResumeRunInput,
  ): Promise<typeof results.ControlRunResult> {
    return orRefuse(results.controlRefusals, async () =>
      as('Run', await this.lifecycle.resume(caller, runId, acceptPlugins)),
    );
  }

  @Mutation(() => results.ControlRunResult, {
    nullable: true,
    description: 'Ends a run and its evaluations; it saves first unless `now` is set.',
  })
  cancelRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.CancelRunInput) { runId, now }: inputs.CancelRunInput,
  ): Promise<typeof results.ControlRunResult> {
    return orRefuse(results.controlRefusals, async () =>
      as('Run', await this.lifecycle.cancel(caller, runId, now)),
    );
  }

  @Mutation(() => results.CancelEvaluationResult, {
    nullable: true,
    description: 'Ends one evaluation of a run; its training and its other evaluations continue.',
  })
  cancelEvaluation(
    @CurrentCaller() caller: Caller,
    @Input(inputs.CancelEvaluationInput) { runId, jobId, now }: inputs.CancelEvaluationInput,
  ): Promise<typeof results.CancelEvaluationResult> {
    return orRefuse(results.cancelEvaluationRefusals, async () =>
      as('Job', await this.lifecycle.cancelEvaluation(caller, runId, jobId, now)),
    );
  }

  @Mutation(() => results.ForkRunResult, {
    nullable: true,
    description: 'Creates a run that starts from the weights of a checkpoint, with changed settings.',
  })
  forkRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.ForkRunInput) { runId, ...input }: inputs.ForkRunInput,
  ): Promise<typeof results.ForkRunResult> {
    return orRefuse(results.inputRefusals, async () => {
      const request = parseInput(forkRequest, input, 'fork a run');
      return as('Run', await this.forks.fork(caller, runId, request));
    });
  }

  @Mutation(() => results.PlanForkResult, {
    nullable: true,
    description: 'Resolves a fork, its checkpoint and what it changes, without creating a run.',
  })
  @ChangesNothing()
  planFork(
    @CurrentCaller() caller: Caller,
    @Input(inputs.PlanForkInput) { runId, ...input }: inputs.PlanForkInput,
  ): Promise<typeof results.PlanForkResult> {
    return orRefuse(results.inputRefusals, async () => {
      const request = parseInput(planForkRequest, input, 'plan a fork');
      return as('RunPlan', await this.forks.planFork(caller, runId, request));
    });
  }

  @Mutation(() => results.EvaluateRunResult, {
    nullable: true,
    description:
      'Queues an evaluation: of a checkpoint on fixed states or along a trajectory, or of stored trajectories by other rewards.',
  })
  evaluateRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.EvaluateRunInput) { runId, ...input }: inputs.EvaluateRunInput,
  ): Promise<typeof results.EvaluateRunResult> {
    return orRefuse(results.inputRefusals, async () => {
      const request = parseInput(evaluateRequest, input, 'evaluate a run');
      return as('Job', await this.evaluations.evaluate(caller, runId, request));
    });
  }

  @Mutation(() => results.DeleteRunResult, {
    nullable: true,
    description:
      'Deletes a stopped run with its history, trajectories and artifacts; returns the deleted run.',
  })
  deleteRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.DeleteRunInput) { runId }: inputs.DeleteRunInput,
  ): Promise<typeof results.DeleteRunResult> {
    return orRefuse(results.controlRefusals, async () =>
      as('Run', await this.deletion.delete(caller, runId)),
    );
  }

  @Mutation(() => results.EditRunResult, {
    nullable: true,
    description: 'Changes annotations and priority of a run; a field that is not given stays as it is.',
  })
  editRun(
    @CurrentCaller() caller: Caller,
    @Input(inputs.EditRunInput) { runId, ...input }: inputs.EditRunInput,
  ): Promise<typeof results.EditRunResult> {
    return orRefuse(results.inputRefusals, async () => {
      const edit = parseInput(editRequest, input, 'edit a run');
      return as('Run', await this.annotations.edit(caller, runId, edit));
    });
  }
}

import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Access } from '../../access/access.decorator.js';
import type { Page } from '../../../core/database/page.js';
import { Run } from '../../../core/database/entities/run.js';
import { Checkpoint, RunCheckpoints } from '../../../core/runs/run-checkpoints.service.js';
import { RunEta, RunEtas } from '../../../core/runs/run-eta.service.js';
import { Evaluation, RunEvaluations } from '../../../core/runs/run-evaluations.service.js';
import { RunTwins, TwinAgreement } from '../../../core/runs/run-twins.service.js';
import { listCost, twinCost } from '../limits/field-costs.js';
import { connectionOf, PageArgs } from '../connection.js';

const CheckpointConnection = connectionOf(Checkpoint, 'Checkpoint');
const EvaluationConnection = connectionOf(Evaluation, 'Evaluation');

/** Checkpoints, evaluations and ETA of a run. */
@Resolver(() => Run)
@Access('viewer')
export class RunOutcomeResolver {
  constructor(
    private readonly stored: RunCheckpoints,
    private readonly measured: RunEvaluations,
    private readonly etas: RunEtas,
    private readonly twins: RunTwins,
  ) {}

  @ResolveField(() => CheckpointConnection, {
    description: 'Its checkpoints, by step.',
    complexity: listCost,
  })
  checkpoints(@Parent() run: Run, @Args() page: PageArgs): Promise<Page<Checkpoint>> {
    return this.stored.page(run, page);
  }

  @ResolveField(() => EvaluationConnection, {
    description: 'Evaluations of its checkpoints, oldest first.',
    complexity: listCost,
  })
  evaluations(@Parent() { id }: Run, @Args() page: PageArgs): Promise<Page<Evaluation>> {
    return this.measured.page(id, page);
  }

  @ResolveField(() => RunEta, {
    nullable: true,
    description:
      'When it will have completed its steps; null while it is not running, or has completed too few.',
    complexity: listCost,
  })
  eta(@Parent() run: Run): Promise<RunEta | null> {
    return this.etas.of(run);
  }

  @ResolveField(() => TwinAgreement, {
    nullable: true,
    description: 'Whether an unchanged fork that continues repeats its parent; null: it is no such fork.',
    complexity: twinCost,
  })
  twin(@Parent() run: Run): Promise<TwinAgreement | null> {
    return this.twins.of(run);
  }
}

import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { LaunchedWorker } from '../../core/database/entities/launched-worker.js';
import type { Page } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import {
  launchedConditions,
  type LaunchedView,
  LauncherQueries,
  LauncherView,
} from '../../core/scaling/launcher-queries.service.js';
import { connectionOf, PageArgs } from './connection.js';
import { as, Input, NotFound, orRefuse, resultOf } from './refusal.js';
import { idOf, inputOfSchema } from './types/from-schema.js';

const LaunchedWorkerConnection = connectionOf(LaunchedWorker, 'LaunchedWorker');

const StopLaunchedWorkerResult = resultOf(
  'StopLaunchedWorkerResult',
  'The launched worker, or why nothing was changed.',
  LaunchedWorker,
  NotFound,
);

const StopLaunchedWorkerInput = inputOfSchema(
  'StopLaunchedWorkerInput',
  'A launched worker to stop.',
  z.object({ name: idOf('launched worker, by its name') }),
  { name: ID },
);
type StopLaunchedWorkerInput = InstanceType<typeof StopLaunchedWorkerInput>;

@Resolver()
@Access('viewer')
export class LauncherResolver {
  constructor(private readonly queries: LauncherQueries) {}

  @Query(() => [LauncherView], {
    nullable: true,
    description: 'The launchers of the settings, which start workers when jobs wait.',
  })
  launchers(): LauncherView[] {
    return this.queries.list();
  }

  @Query(() => LaunchedWorkerConnection, {
    nullable: true,
    description: 'Workers that launchers have started, newest first.',
  })
  async launchedWorkers(
    @CurrentCaller() caller: Caller,
    @Args() page: PageArgs,
    @Args('launcher', { type: () => String, nullable: true, description: 'Only of this launcher.' })
    launcher?: string | null,
    @Args('ended', {
      type: () => Boolean,
      nullable: true,
      description: 'Those that are over too; they are listed for a week.',
    })
    ended?: boolean | null,
  ): Promise<Page<LaunchedView>> {
    const conditions = parseInput(launchedConditions, { launcher, ended }, 'list launched workers');
    return this.queries.listWorkers(caller, conditions, page);
  }

  @Mutation(() => StopLaunchedWorkerResult, {
    nullable: true,
    description:
      'Stops a launched worker: its jobs save and continue elsewhere. Its launcher starts another when jobs wait.',
  })
  @Access('admin')
  async stopLaunchedWorker(
    @CurrentCaller() caller: Caller,
    @Input(StopLaunchedWorkerInput) { name }: StopLaunchedWorkerInput,
  ): Promise<typeof StopLaunchedWorkerResult> {
    return orRefuse([NotFound], async () =>
      as('LaunchedWorker', (await this.queries.stop(caller, name)) as never),
    );
  }
}

import { Args, createUnionType, Field, ID, InputType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { as, NotFound, orRefuse, resolveType } from './refusal.js';
import { type Page } from '../../core/database/page.js';
import { connectionOf, PageArgs } from './connection.js';
import { DateTimeScalar } from './scalars.js';
import { Alert } from '../../core/database/entities/alert.js';
import { AlertService } from '../../core/history/alerts/alert.service.js';

const AlertConnection = connectionOf(Alert, 'Alert');

@InputType({ description: 'Which alerts; all conditions hold at once.' })
export class AlertFilter {
  @Field(() => ID, { nullable: true, description: 'About this run.' })
  runId?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this project.' })
  project?: string | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Raised at this moment or later.' })
  since?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only unacknowledged ones; false: only the others.',
  })
  open?: boolean | null;
}

export const AcknowledgeAlertResult = createUnionType({
  name: 'AcknowledgeAlertResult',
  description: 'The alert as it is now, or why nothing was changed.',
  types: () => [Alert, NotFound] as const,
  resolveType,
});

@Resolver()
export class AlertResolver {
  constructor(private readonly service: AlertService) {}

  @Query(() => AlertConnection, { nullable: true, description: 'Alerts, newest first.' })
  @Access('viewer')
  async alerts(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => AlertFilter, nullable: true, description: 'Which; default: all.' })
    filter: AlertFilter | null | undefined,
    @Args() page: PageArgs,
  ): Promise<Page<Alert>> {
    return this.service.list(caller, filter ?? {}, page);
  }

  @Mutation(() => AcknowledgeAlertResult, {
    nullable: true,
    description: 'Acknowledges an alert.',
  })
  @Access('operator')
  async acknowledgeAlert(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'The alert.' }) id: string,
  ): Promise<typeof AcknowledgeAlertResult> {
    return orRefuse([NotFound], async () => as('Alert', await this.service.acknowledge(caller, id)));
  }
}

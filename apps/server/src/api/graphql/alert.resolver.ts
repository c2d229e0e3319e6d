import { Args, createUnionType, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { as, NotFound, orRefuse, resolveType } from './refusal.js';
import { type Page } from '../../core/database/page.js';
import { PageArgs, pageOf } from './page-type.js';
import { DateTimeScalar } from './scalars.js';
import { Alert } from '../../core/database/entities/alert.js';
import { AlertService } from '../../core/history/alerts/alert.service.js';

const AlertPage = pageOf(Alert, 'AlertPage');

export const AcknowledgeAlertResult = createUnionType({
  name: 'AcknowledgeAlertResult',
  description: 'The alert as it is now, or why nothing was changed.',
  types: () => [Alert, NotFound] as const,
  resolveType,
});

@Resolver()
export class AlertResolver {
  constructor(private readonly service: AlertService) {}

  @Query(() => AlertPage, { nullable: true, description: 'Alerts, newest first.' })
  @Access('viewer')
  async alerts(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, nullable: true, description: 'Only about this run.' })
    runId: string | null,
    @Args('project', { type: () => String, nullable: true, description: 'Only of this project.' })
    project: string | null,
    @Args('since', { type: () => DateTimeScalar, nullable: true, description: 'Only from then on.' })
    since: number | null,
    @Args('open', {
      type: () => Boolean,
      nullable: true,
      description: 'Only those nobody acknowledged, or only the others.',
    })
    open: boolean | null,
    @Args() page: PageArgs,
  ): Promise<Page<Alert>> {
    return this.service.list(caller, { runId, project, since, open }, page);
  }

  @Mutation(() => AcknowledgeAlertResult, {
    nullable: true,
    description: 'Says that somebody has seen an alert.',
  })
  @Access('operator')
  async acknowledgeAlert(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'The alert.' }) id: string,
  ): Promise<typeof AcknowledgeAlertResult> {
    return orRefuse([NotFound], async () => as('Alert', await this.service.acknowledge(caller, id)));
  }
}

import { Args, ID, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { type Caller, canSee } from '../../core/access/caller.js';
import { Alert } from '../../core/database/entities/alert.js';
import { LiveBus } from '../../core/database/live-bus.js';
import type { Page } from '../../core/database/page.js';
import {
  acknowledgeRequest,
  alertConditions,
  alertOrderFields,
  assignRequest,
} from '../../core/history/alerts/alert-request.js';
import { AlertAssignee, AlertCount, AlertService } from '../../core/history/alerts/alert.service.js';
import { findRunOrFail } from '../../core/history/records/find-run.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { iterateLatest } from '../stream/latest-iterator.js';
import { connectionOf, orderOf, PageArgs } from './connection.js';
import { AlertSeverityEnum, HealthRuleEnum } from './enums.js';
import { countCost, listCost } from './limits/field-costs.js';
import { as, Input, InvalidInput, NotFound, orRefuse, resultOf } from './refusal.js';
import { describeType } from './types/describe-type.js';
import { idOf, inputOfSchema } from './types/from-schema.js';
import { z } from 'zod';

const AlertConnection = connectionOf(Alert, 'Alert');
const AlertOrder = orderOf('Alert', alertOrderFields);
type AlertOrder = InstanceType<typeof AlertOrder>;

const AlertFilter = inputOfSchema(
  'AlertFilter',
  'Which alerts; all conditions hold at once.',
  alertConditions,
  { runId: ID, severity: AlertSeverityEnum, rule: HealthRuleEnum },
);
type AlertFilter = InstanceType<typeof AlertFilter>;
const filterArg = { type: () => AlertFilter, nullable: true, description: 'Which; default: all.' } as const;

const AcknowledgeAlertInput = inputOfSchema(
  'AcknowledgeAlertInput',
  'An alert to acknowledge.',
  z.object({ alertId: idOf('alert') }),
  { alertId: ID },
);
type AcknowledgeAlertInput = InstanceType<typeof AcknowledgeAlertInput>;

const AcknowledgeAlertResult = resultOf(
  'AcknowledgeAlertResult',
  'The alert as it is now, or why nothing was changed.',
  Alert,
  NotFound,
);

const AcknowledgeAlertsInput = inputOfSchema(
  'AcknowledgeAlertsInput',
  'Alerts to acknowledge, all or none.',
  acknowledgeRequest,
  { alertIds: ID },
);
type AcknowledgeAlertsInput = InstanceType<typeof AcknowledgeAlertsInput>;

class AcknowledgedAlerts {
  alerts!: readonly Alert[];
}
describeType(
  AcknowledgedAlerts,
  { description: 'Alerts that were acknowledged.' },
  { alerts: [() => [Alert], { description: 'As they are now.' }] },
);
const AcknowledgeAlertsResult = resultOf(
  'AcknowledgeAlertsResult',
  'The alerts as they are now, or why nothing was changed.',
  AcknowledgedAlerts,
  InvalidInput,
  NotFound,
);

const AssignAlertInput = inputOfSchema(
  'AssignAlertInput',
  'Who looks after an alert.',
  assignRequest.extend({ alertId: idOf('alert') }),
  { alertId: ID, keyId: ID },
);
type AssignAlertInput = InstanceType<typeof AssignAlertInput>;

const AssignAlertResult = resultOf(
  'AssignAlertResult',
  'The alert as it is now, or why nothing was changed.',
  Alert,
  NotFound,
);

@Resolver()
@Access('viewer')
export class AlertResolver {
  constructor(
    private readonly service: AlertService,
    private readonly bus: LiveBus,
    private readonly source: DataSource,
  ) {}

  @Query(() => AlertConnection, { nullable: true, description: 'Alerts.' })
  async alerts(
    @CurrentCaller() caller: Caller,
    @Args() page: PageArgs,
    @Args('filter', filterArg) filter: AlertFilter | null | undefined,
    @Args('orderBy', { type: () => AlertOrder, nullable: true, description: 'Default: newest first.' })
    orderBy: AlertOrder | null | undefined,
  ): Promise<Page<Alert>> {
    const where = parseInput(alertConditions, filter, 'list alerts');
    return this.service.list(caller, where, page, orderBy ?? undefined);
  }

  @Query(() => [AlertCount], {
    nullable: true,
    description: 'How many alerts there are of each severity, the most severe first.',
    complexity: countCost,
  })
  async alertCounts(
    @CurrentCaller() caller: Caller,
    @Args('filter', filterArg) filter: AlertFilter | null | undefined,
  ): Promise<AlertCount[]> {
    return this.service.count(caller, parseInput(alertConditions, filter, 'count alerts'));
  }

  @Mutation(() => AcknowledgeAlertResult, { nullable: true, description: 'Acknowledges an alert.' })
  @Access('operator')
  async acknowledgeAlert(
    @CurrentCaller() caller: Caller,
    @Input(AcknowledgeAlertInput) { alertId }: AcknowledgeAlertInput,
  ): Promise<typeof AcknowledgeAlertResult> {
    return orRefuse([NotFound], async () => {
      const [alert] = await this.service.acknowledge(caller, [alertId]);
      return as('Alert', alert as Alert);
    });
  }

  @Mutation(() => AcknowledgeAlertsResult, {
    nullable: true,
    description: 'Acknowledges several alerts, all or none.',
    complexity: ({ args }) =>
      listCost * ((args as { input?: AcknowledgeAlertsInput }).input?.alertIds.length ?? 1),
  })
  @Access('operator')
  async acknowledgeAlerts(
    @CurrentCaller() caller: Caller,
    @Input(AcknowledgeAlertsInput) input: AcknowledgeAlertsInput,
  ): Promise<typeof AcknowledgeAlertsResult> {
    return orRefuse([InvalidInput, NotFound], async () => {
      const { alertIds } = parseInput(acknowledgeRequest, input, 'acknowledge alerts');
      return as('AcknowledgedAlerts', { alerts: await this.service.acknowledge(caller, alertIds) });
    });
  }

  @Query(() => [AlertAssignee], {
    nullable: true,
    description: 'Who may look after alerts of a project, by name.',
    complexity: listCost,
  })
  @Access('operator')
  async assignees(
    @CurrentCaller() caller: Caller,
    @Args('project', { type: () => String, description: 'The project.' }) project: string,
  ): Promise<AlertAssignee[]> {
    return this.service.assignees(caller, project);
  }

  @Mutation(() => AssignAlertResult, {
    nullable: true,
    description: 'Says who looks after an alert; without a key nobody does.',
  })
  @Access('operator')
  async assignAlert(
    @CurrentCaller() caller: Caller,
    @Input(AssignAlertInput) { alertId, keyId }: AssignAlertInput,
  ): Promise<typeof AssignAlertResult> {
    return orRefuse([NotFound], async () =>
      as('Alert', await this.service.assign(caller, alertId, keyId ?? null)),
    );
  }

  @Subscription(() => Alert, {
    description:
      'Alerts as they are raised, acknowledged, assigned and judged: of one run, one project, or all you may see.',
  })
  async alertChanged(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, nullable: true, description: 'Only alerts about this run.' })
    runId: string | null,
    @Args('project', { type: () => String, nullable: true, description: 'Only alerts of this project.' })
    project: string | null,
  ): Promise<AsyncIterableIterator<{ alertChanged: Alert }>> {
    if (typeof runId === 'string') await findRunOrFail(this.source.manager, caller, runId);
    return iterateLatest<Alert, { alertChanged: Alert }>(
      (publish) =>
        this.bus.on('alert', '*', (alert) => {
          const isWanted =
            (runId ?? alert.runId) === alert.runId && (project ?? alert.project) === alert.project;
          if (isWanted && canSee(caller, alert.project)) publish(alert.id, alert);
        }),
      (alertChanged) => ({ alertChanged }),
    );
  }
}

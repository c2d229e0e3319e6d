/** @file The key of a request, its tickets and projects, and the version of the server. */
import { Args, Mutation, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../core/access/caller.js';
import { Ticket, ticketRequest } from '../../core/access/tickets.js';
import type { Page } from '../../core/database/page.js';
import { Project, ProjectQueries } from '../../core/runs/project-queries.service.js';
import { parseInput } from '../../core/input/parse-input.js';
import { RunGroup, RunGroupQueries, runGroupsConditions } from '../../core/runs/run-group-queries.service.js';
import { RunTickets } from '../../core/runs/run-tickets.service.js';
import { type KeyAllowances, UsageQuotas, Me } from '../../core/scheduling/usage-quotas.js';
import { serverVersion } from '../../config/server-version.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { connectionOf, PageArgs } from './connection.js';
import { TicketPurposeEnum } from './enums.js';
import { as, Input, InvalidInput, NotFound, orRefuse, resultOf } from './refusal.js';
import { inputOfSchema } from './types/from-schema.js';

const ProjectConnection = connectionOf(Project, 'Project');
const RunGroupConnection = connectionOf(RunGroup, 'RunGroup');

/** What the key of a request allows. */
@Resolver(() => Me)
@Access('viewer')
export class MeResolver {
  constructor(
    private readonly usageQuotas: UsageQuotas,
    private readonly projectQueries: ProjectQueries,
    private readonly groups: RunGroupQueries,
  ) {}

  @Query(() => Me, { nullable: true, description: 'The key of this request: its role, projects and limits.' })
  me(@CurrentCaller() { keyId, keyName, role, projects }: Caller): Omit<Me, 'limits'> {
    return { keyId, name: keyName, role, projects };
  }

  @ResolveField('limits')
  limits(@CurrentCaller() { keyId }: Caller): Promise<KeyAllowances> {
    return this.usageQuotas.allowancesOf(keyId);
  }

  @Query(() => ProjectConnection, { nullable: true, description: 'Projects that have runs, by name.' })
  projects(@CurrentCaller() caller: Caller, @Args() page: PageArgs): Promise<Page<Project>> {
    return this.projectQueries.list(caller, page);
  }

  @Query(() => RunGroupConnection, { nullable: true, description: 'Groups of runs, by project and name.' })
  runGroups(
    @CurrentCaller() caller: Caller,
    @Args('project', { type: () => String, nullable: true, description: 'Only of this project.' })
    project: string | null | undefined,
    @Args() page: PageArgs,
  ): Promise<Page<RunGroup>> {
    const where = parseInput(runGroupsConditions, { project }, 'list groups of runs');
    return this.groups.list(caller, where.project, page);
  }
}

const CreateTicketInput = inputOfSchema('CreateTicketInput', 'What a ticket is for.', ticketRequest, {
  purpose: TicketPurposeEnum,
});
type CreateTicketInput = InstanceType<typeof CreateTicketInput>;

const CreateTicketResult = resultOf(
  'CreateTicketResult',
  'The ticket, or why there is none.',
  Ticket,
  InvalidInput,
  NotFound,
);

/** Creates tickets. */
@Resolver()
export class TicketResolver {
  constructor(private readonly tickets: RunTickets) {}

  @Mutation(() => CreateTicketResult, {
    nullable: true,
    description:
      'Creates a ticket that stands for the key for a minute and one purpose, for pages that cannot send a header.',
  })
  @Access('viewer')
  createTicket(
    @CurrentCaller() caller: Caller,
    @Input(CreateTicketInput) input: CreateTicketInput,
  ): Promise<typeof CreateTicketResult> {
    return orRefuse([InvalidInput, NotFound], async () => {
      const request = parseInput(ticketRequest, input, 'create a ticket');
      return as('Ticket', await this.tickets.create(caller, request));
    });
  }
}

@Resolver()
export class ServerResolver {
  @Query(() => String, { nullable: true, description: 'Version of this server.' })
  @Access('viewer')
  version(): string {
    return serverVersion;
  }
}

import { toIsoTime } from '@espalier/protocol/bounds';
import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { Ticket, ticketRequest } from '../../core/access/tickets.js';
import { type PageAnswer, pageQuery, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Project, ProjectQueries } from '../../core/runs/project-queries.service.js';
import { RunGroup, RunGroupQueries, runGroupsQuery } from '../../core/runs/run-group-queries.service.js';
import { RunTickets } from '../../core/runs/run-tickets.service.js';
import { UsageQuotas, Me } from '../../core/scheduling/usage-quotas.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { Describe, Tag } from './open-api/open-api.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';

type RunGroupDto = Omit<RunGroup, 'newestRunAt'> & { readonly newestRunAt: string };
type ProjectDto = Omit<Project, 'newestRunAt'> & { readonly newestRunAt: string };

@Tag('me')
@Controller('api/v1')
@Access('viewer')
export class MeController {
  constructor(
    private readonly usageQuotas: UsageQuotas,
    private readonly projects: ProjectQueries,
    private readonly groups: RunGroupQueries,
  ) {}

  @Get('me')
  @Describe({
    summary: 'The key of this request: its role, projects, limits and remaining allowances.',
    response: dtoSchema(Me),
  })
  async me(@CurrentCaller() caller: Caller): Promise<Me> {
    const { keyId, keyName, role, projects } = caller;
    return { keyId, name: keyName, role, projects, limits: await this.usageQuotas.allowancesOf(keyId) };
  }

  @Get('projects')
  @Describe({
    summary: 'Projects that have runs, by name, with the number of runs in each state.',
    query: pageQuery,
    response: pageSchema(dtoSchema(Project)),
  })
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<ProjectDto>> {
    const page = await this.projects.list(caller, parseInput(pageQuery, given, 'list projects'));
    return toPageAnswer(page, (project) => ({ ...project, newestRunAt: toIsoTime(project.newestRunAt) }));
  }

  @Get('run-groups')
  @Describe({
    summary: 'Groups of runs, by project and name, with the number of runs in each state.',
    query: runGroupsQuery,
    response: pageSchema(dtoSchema(RunGroup)),
  })
  async listGroups(
    @CurrentCaller() caller: Caller,
    @Query() given: unknown,
  ): Promise<PageAnswer<RunGroupDto>> {
    const { project, ...part } = parseInput(runGroupsQuery, given, 'list groups of runs');
    const page = await this.groups.list(caller, project, part);
    return toPageAnswer(page, (group) => ({ ...group, newestRunAt: toIsoTime(group.newestRunAt) }));
  }
}

type TicketDto = Omit<Ticket, 'expiresAt'> & { readonly expiresAt: string };

@Tag('me')
@Controller('api/v1/tickets')
export class TicketController {
  constructor(private readonly tickets: RunTickets) {}

  @Post()
  @Access('viewer')
  @Describe({
    summary:
      'Creates a ticket that stands for the key for a minute and one purpose, for pages that cannot send a header.',
    body: ticketRequest,
    responses: { 201: [dtoSchema(Ticket), 'The ticket.'] },
  })
  async create(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<TicketDto> {
    const made = await this.tickets.create(caller, parseInput(ticketRequest, body, 'create a ticket'));
    return { ...made, expiresAt: toIsoTime(made.expiresAt) };
  }
}

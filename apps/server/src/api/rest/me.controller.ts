import { toIsoTime } from '@espalier/protocol/bounds';
import { Controller, Get, Query } from '@nestjs/common';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, pageQuery, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Project, ProjectQueries } from '../../core/runs/project-queries.service.js';
import { KeyLimits, Me } from '../../core/scheduling/key-limits.js';
import { dtoShape, pageShape } from './response-schema.js';
import { openApiResponse } from './open-api-response.js';
import { ApiOperation, ApiTags, openApiQuery } from './open-api-decorators.js';

type ProjectDto = Omit<Project, 'newestRunAt'> & { readonly newestRunAt: string };

@ApiTags('me')
@Controller('api/v1')
export class MeController {
  constructor(
    private readonly keyLimits: KeyLimits,
    private readonly projects: ProjectQueries,
  ) {}

  @Get('me')
  @Access('viewer')
  @ApiOperation({ summary: 'The key of this request: its role, projects, limits and what is left of them.' })
  @openApiResponse(dtoShape(Me))
  async me(@CurrentCaller() caller: Caller): Promise<Me> {
    const { keyId, keyName, role, projects } = caller;
    return { keyId, name: keyName, role, projects, limits: await this.keyLimits.allowancesOf(keyId) };
  }

  @Get('projects')
  @Access('viewer')
  @ApiOperation({ summary: 'Projects that have runs, by name, with how many runs stand where.' })
  @openApiQuery(pageQuery)
  @openApiResponse(pageShape(dtoShape(Project)))
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<ProjectDto>> {
    const page = await this.projects.list(caller, parseInput(pageQuery, given, 'list projects'));
    return toPageAnswer(page, (project) => ({ ...project, newestRunAt: toIsoTime(project.newestRunAt) }));
  }
}

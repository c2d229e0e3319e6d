import { Args, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import type { Page } from '../../core/database/page.js';
import { Project, ProjectQueries } from '../../core/runs/project-queries.service.js';
import { type KeyAllowances, KeyLimits, Me } from '../../core/scheduling/key-limits.js';
import { connectionOf, PageArgs } from './connection.js';

const ProjectConnection = connectionOf(Project, 'Project');

/** What the key of a request may do and see. */
@Resolver(() => Me)
export class MeResolver {
  constructor(
    private readonly keyLimits: KeyLimits,
    private readonly projectQueries: ProjectQueries,
  ) {}

  @Query(() => Me, { nullable: true, description: 'The key of this request: its role, projects and limits.' })
  @Access('viewer')
  me(@CurrentCaller() { keyId, keyName, role, projects }: Caller): Omit<Me, 'limits'> {
    return { keyId, name: keyName, role, projects };
  }

  @ResolveField('limits')
  @Access('viewer')
  limits(@CurrentCaller() { keyId }: Caller): Promise<KeyAllowances> {
    return this.keyLimits.allowancesOf(keyId);
  }

  @Query(() => ProjectConnection, { nullable: true, description: 'Projects that have runs, by name.' })
  @Access('viewer')
  projects(@CurrentCaller() caller: Caller, @Args() page: PageArgs): Promise<Page<Project>> {
    return this.projectQueries.list(caller, page);
  }
}

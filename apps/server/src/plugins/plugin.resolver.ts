import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../access/caller.js';
import { AuditService } from '../audit/audit.service.js';
import { PluginCatalogue } from './plugin-catalogue.service.js';
import { PluginType } from './plugin.type.js';

@Resolver()
export class PluginResolver {
  constructor(
    private readonly catalogue: PluginCatalogue,
    private readonly audit: AuditService,
  ) {}

  @Query(() => [PluginType], {
    description: 'What is installed, with the schema of its options; by kind and id.',
  })
  @Access('viewer')
  async plugins(
    @Args('kind', { type: () => String, nullable: true, description: 'Only of this kind.' }) kind?: string,
  ): Promise<PluginType[]> {
    const plugins = await this.catalogue.list();
    return plugins.filter((plugin) => kind === undefined || plugin.kind === kind);
  }

  @Mutation(() => [PluginType], {
    description:
      'Loads all plugins anew; runs that are under way keep what they have loaded. When it fails, what was loaded before stays.',
  })
  @Access('admin')
  async reloadPlugins(@CurrentCaller() caller: Caller): Promise<PluginType[]> {
    const plugins = [...(await this.catalogue.reload())];
    await this.audit.record(caller, 'plugin.reload', '', 'done', { plugins: plugins.length });
    return plugins;
  }
}

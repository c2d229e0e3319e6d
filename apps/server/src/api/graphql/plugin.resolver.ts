import { Args, Field, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { AuditService } from '../../core/access/audit.service.js';
import { as, NotPossible, orRefuse, resultOf } from './refusal.js';
import { PluginKindEnum } from './enums.js';
import { specCost } from './limits/field-costs.js';
import { JsonScalar } from './scalars.js';
import { PluginCatalogue } from '../../core/plugins/plugin-catalogue.service.js';
import { Recipe, Recipes } from '../../core/runs/recipes.service.js';
import { CataloguedPlugin } from '../../core/plugins/catalogue-messages.js';

@ObjectType({ description: 'The installed plugins after the reload.' })
export class LoadedPlugins {
  @Field(() => [CataloguedPlugin], { description: 'By kind and id.' })
  plugins!: CataloguedPlugin[];
}

const ReloadPluginsResult = resultOf(
  'ReloadPluginsResult',
  'The installed plugins, or why those loaded before stay.',
  LoadedPlugins,
  NotPossible,
);

@Resolver()
@Access('viewer')
export class PluginResolver {
  constructor(
    private readonly catalogue: PluginCatalogue,
    private readonly audit: AuditService,
    private readonly shipped: Recipes,
  ) {}

  @Query(() => [CataloguedPlugin], {
    nullable: true,
    description: 'The installed plugins with the schemas of their options, by kind and id.',
  })
  async plugins(
    @Args('kind', { type: () => PluginKindEnum, nullable: true, description: 'Only of this kind.' })
    kind?: string | null,
  ): Promise<CataloguedPlugin[]> {
    const plugins = await this.catalogue.list();
    return plugins.filter((plugin) => kind === undefined || kind === null || plugin.kind === kind);
  }

  @Query(() => [Recipe], {
    nullable: true,
    description: 'The run configurations that come with Espalier, by name.',
  })
  recipes(): readonly Recipe[] {
    return this.shipped.list();
  }

  @Query(() => JsonScalar, {
    nullable: true,
    description: 'JSON Schema of a run spec, with the options of the installed plugins.',
    complexity: specCost,
  })
  async runSpecSchema(): Promise<Record<string, unknown>> {
    return this.catalogue.runSpecSchema();
  }

  @Mutation(() => ReloadPluginsResult, {
    nullable: true,
    description:
      'Reloads all plugins; running jobs keep those they have loaded. If it fails, the loaded plugins stay.',
  })
  @Access('admin')
  async reloadPlugins(@CurrentCaller() caller: Caller): Promise<typeof ReloadPluginsResult> {
    return orRefuse([NotPossible], async () => as('LoadedPlugins', await this.reload(caller)));
  }

  /** Reloads the plugins; REST uses it too. */
  async reload(caller: Caller): Promise<LoadedPlugins> {
    const plugins = [...(await this.catalogue.reload())];
    await this.audit.record(caller, 'plugin.reload', '', 'done', { plugins: plugins.length });
    return Object.assign(new LoadedPlugins(), { plugins });
  }
}

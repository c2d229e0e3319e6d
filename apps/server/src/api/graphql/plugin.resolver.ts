import { Args, Field, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { AuditService } from '../../core/access/audit.service.js';
import { as, NotPossible, orRefuse, resultOf } from './refusal.js';
import { PluginKindEnum } from './enums.js';
import { specCost } from './limits/field-costs.js';
import { JsonScalar, SafeIntScalar } from './scalars.js';
import { parseInput } from '../../core/input/parse-input.js';
import { EnvironmentPlay, playEnvironmentRequest } from '../../core/plugins/environment-play.service.js';
import { PluginCatalogue } from '../../core/plugins/plugin-catalogue.service.js';
import { Recipe, Recipes } from '../../core/runs/recipes.service.js';
import { CataloguedPlugin, PlayedState } from '../../core/plugins/catalogue-messages.js';

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
    private readonly environments: EnvironmentPlay,
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

  @Query(() => PlayedState, {
    nullable: true,
    description:
      'The state of an environment after actions that are taken by hand. It is created, reset with the seeds and closed again; nothing is stored.',
    complexity: specCost,
  })
  @Access('operator')
  async playEnvironment(
    @Args('environment', {
      type: () => JsonScalar,
      description: 'The environment as a spec chooses it: `use`, and its options.',
    })
    environment: unknown,
    @Args('seed', { type: () => SafeIntScalar, defaultValue: 0, description: 'Seed of the initial state.' })
    seed: number,
    @Args('noiseSeed', {
      type: () => SafeIntScalar,
      nullable: true,
      description: 'Seed of the environment’s chance; default: as `seed`.',
    })
    noiseSeed: number | null,
    @Args('actions', { type: () => [String], defaultValue: [], description: 'Actions to take, in order.' })
    actions: string[],
  ): Promise<PlayedState> {
    const given = { environment, seed, actions, ...(typeof noiseSeed === 'number' && { noiseSeed }) };
    return this.environments.play(parseInput(playEnvironmentRequest, given, 'play an environment'));
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

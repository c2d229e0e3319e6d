import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { Access, ChangesNothing, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { EnvironmentPlay, playEnvironmentRequest } from '../../core/plugins/environment-play.service.js';
import { PluginCatalogue } from '../../core/plugins/plugin-catalogue.service.js';
import { PluginResolver } from '../graphql/plugin.resolver.js';
import { dtoSchema } from './open-api/response-schema.js';
import { Recipe, Recipes } from '../../core/runs/recipes.service.js';
import { CataloguedPlugin, PlayedState } from '../../core/plugins/catalogue-messages.js';
import { Describe, Tag } from './open-api/open-api.js';
import { parseInput } from '../../core/input/parse-input.js';

const installed = z.object({ items: z.array(dtoSchema(CataloguedPlugin)) });

@Tag('plugins')
@Controller('api/v1')
@Access('viewer')
export class PluginController {
  constructor(
    private readonly catalogue: PluginCatalogue,
    private readonly resolver: PluginResolver,
    private readonly shipped: Recipes,
    private readonly environments: EnvironmentPlay,
  ) {}

  @Get('plugins')
  @Describe({ summary: 'The installed plugins, with the JSON Schema of their options.', response: installed })
  async list(): Promise<{ items: readonly CataloguedPlugin[] }> {
    return { items: await this.catalogue.list() };
  }

  @Get('recipes')
  @Describe({
    summary: 'The run configurations that come with Espalier, by name; each can be the `spec` of a new run.',
    response: z.object({ items: z.array(dtoSchema(Recipe)) }),
  })
  recipes(): { items: readonly Recipe[] } {
    return { items: this.shipped.list() };
  }

  @Get('run-spec-schema')
  @Describe({
    summary: 'JSON Schema of a run spec, with the options of the installed plugins.',
    response: z.record(z.string(), z.unknown()),
  })
  async runSpecSchema(): Promise<Record<string, unknown>> {
    return this.catalogue.runSpecSchema();
  }

  @Post('environments/play')
  @ChangesNothing()
  @HttpCode(200)
  @Access('operator')
  @Describe({
    summary: 'The state of an environment after actions that are taken by hand; nothing is stored.',
    body: playEnvironmentRequest,
    response: dtoSchema(PlayedState),
  })
  async play(@Body() body: unknown): Promise<PlayedState> {
    return this.environments.play(parseInput(playEnvironmentRequest, body, 'play an environment'));
  }

  @Post('plugins/reload')
  @HttpCode(200)
  @Access('admin')
  @Describe({
    summary: 'Reloads all plugins; running jobs keep those they have loaded.',
    response: installed,
  })
  async reload(@CurrentCaller() caller: Caller): Promise<{ items: readonly CataloguedPlugin[] }> {
    return { items: (await this.resolver.reload(caller)).plugins };
  }
}

import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from './open-api-decorators.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { PluginCatalogue } from '../../core/plugins/plugin-catalogue.service.js';
import { PluginResolver } from '../graphql/plugin.resolver.js';
import { openApiResponse } from './open-api-response.js';
import { arrayOf, dtoShape, objectOf } from './response-schema.js';
import { CataloguedPlugin } from '../../core/plugins/catalogue-messages.js';

const installed = objectOf({ items: arrayOf(dtoShape(CataloguedPlugin)) });

@ApiTags('plugins')
@Controller('api/v1/plugins')
export class PluginController {
  constructor(
    private readonly catalogue: PluginCatalogue,
    private readonly resolver: PluginResolver,
  ) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ summary: 'What is installed, with the JSON Schema of its options.' })
  @openApiResponse(installed)
  async list(): Promise<{ items: readonly CataloguedPlugin[] }> {
    return { items: await this.catalogue.list() };
  }

  @Post('reload')
  @HttpCode(200)
  @Access('admin')
  @ApiOperation({ summary: 'Loads all plugins anew; runs that are under way keep what they have loaded.' })
  @openApiResponse(installed)
  async reload(@CurrentCaller() caller: Caller): Promise<{ items: readonly CataloguedPlugin[] }> {
    return { items: (await this.resolver.reload(caller)).plugins };
  }
}

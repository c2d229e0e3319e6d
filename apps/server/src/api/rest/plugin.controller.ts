import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from './open-api-notes.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import type { CataloguedPlugin } from '../../core/plugins/catalogue-messages.js';
import { PluginCatalogue } from '../../core/plugins/plugin-catalogue.service.js';
import { PluginResolver } from '../graphql/plugin.resolver.js';
import { openApiAnswer } from './open-api-answer.js';
import { arrayOf, objectOf, told } from './answer-schema.js';
import { PluginType } from '../../core/plugins/plugin.type.js';

const installed = objectOf({ items: arrayOf(told(PluginType)) });

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
  @openApiAnswer(installed)
  async list(): Promise<{ items: readonly CataloguedPlugin[] }> {
    return { items: await this.catalogue.list() };
  }

  @Post('reload')
  @HttpCode(200)
  @Access('admin')
  @ApiOperation({ summary: 'Loads all plugins anew; runs that are under way keep what they have loaded.' })
  @openApiAnswer(installed)
  async reload(@CurrentCaller() caller: Caller): Promise<{ items: readonly CataloguedPlugin[] }> {
    return { items: (await this.resolver.reload(caller)).plugins };
  }
}

import { Module } from '@nestjs/common';
import { PluginCatalogue } from './plugin-catalogue.service.js';
import { PluginGuard } from './plugin-guard.service.js';
import { PluginController } from './plugin.controller.js';
import { PluginResolver } from './plugin.resolver.js';

/** What is installed, and specs checked against it. */
@Module({
  controllers: [PluginController],
  providers: [PluginCatalogue, PluginGuard, PluginResolver],
  exports: [PluginCatalogue, PluginGuard],
})
export class PluginsModule {}

import { Module } from '@nestjs/common';
import { ExplorerController } from './explorer.controller.js';
import { HomeController } from './home.controller.js';
import { OpenApiDocument } from './open-api-document.js';

/** Pages on which people try the API. */
@Module({
  controllers: [HomeController, ExplorerController],
  providers: [OpenApiDocument],
  exports: [OpenApiDocument],
})
export class ExplorerModule {}

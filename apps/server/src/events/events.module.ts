import { Global, Module } from '@nestjs/common';
import { HistoryController } from './history.controller.js';
import { HistoryResolver } from './history.resolver.js';
import { HistoryService } from './history.service.js';
import { LiveBus } from './live-bus.js';
import { RetentionService } from './retention.service.js';
import { RunLog } from './run-log.js';
import { RunReader } from './run-reader.js';

/** The history of runs, and whoever wants to hear of it. */
@Global()
@Module({
  controllers: [HistoryController],
  providers: [LiveBus, RunLog, RunReader, HistoryService, HistoryResolver, RetentionService],
  exports: [LiveBus, RunLog, RunReader],
})
export class EventsModule {}

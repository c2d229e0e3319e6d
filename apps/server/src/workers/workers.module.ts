import { Module } from '@nestjs/common';
import { GreetingService } from './greeting.service.js';
import { WorkerGateway } from './worker.gateway.js';
import { WorkerPresence } from './worker-presence.js';
import { WorkerRows } from './worker-rows.service.js';

/** Workers: their connections, their rows, and what they say. */
@Module({
  providers: [WorkerRows, WorkerPresence, GreetingService, WorkerGateway],
  exports: [WorkerRows],
})
export class WorkersModule {}

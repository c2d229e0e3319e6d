import { Module } from '@nestjs/common';
import { GreetingService } from './greeting.service.js';
import { WorkerController } from './worker.controller.js';
import { WorkerForgetting } from './worker-forgetting.service.js';
import { WorkerGateway } from './worker.gateway.js';
import { WorkerPresence } from './worker-presence.js';
import { WorkerResolver } from './worker.resolver.js';
import { WorkerRows } from './worker-rows.service.js';
import { WorkerSteering } from './worker-steering.service.js';

/** Workers: their connections, their rows, and what they say. */
@Module({
  providers: [
    ...[WorkerRows, WorkerPresence, WorkerForgetting, GreetingService, WorkerGateway, WorkerSteering],
    WorkerResolver,
  ],
  controllers: [WorkerController],
  exports: [WorkerRows],
})
export class WorkersModule {}

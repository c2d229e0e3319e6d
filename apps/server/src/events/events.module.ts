import { Global, Module } from '@nestjs/common';
import { LiveBus } from './live-bus.js';
import { RunLog } from './run-log.js';

/** The history of runs, and whoever wants to hear of it. */
@Global()
@Module({ providers: [LiveBus, RunLog], exports: [LiveBus, RunLog] })
export class EventsModule {}

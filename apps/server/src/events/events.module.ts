import { Global, Module } from '@nestjs/common';
import { LiveBus } from './live-bus.js';
import { RunLog } from './run-log.js';
import { RunReader } from './run-reader.js';

/** The history of runs, and whoever wants to hear of it. */
@Global()
@Module({ providers: [LiveBus, RunLog, RunReader], exports: [LiveBus, RunLog, RunReader] })
export class EventsModule {}

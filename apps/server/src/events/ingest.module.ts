import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { EventIngest } from './event-ingest.service.js';
import { RunEraser } from './run-eraser.js';

/** Takes in what attempts say. */
@Global()
@Module({ imports: [MetricsModule], providers: [EventIngest, RunEraser], exports: [EventIngest, RunEraser] })
export class IngestModule {}

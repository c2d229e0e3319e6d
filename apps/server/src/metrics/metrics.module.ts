import { Global, Module } from '@nestjs/common';
import { MetricExtents } from './metric-extents.js';
import { MetricHistory } from './metric-history.service.js';
import { MetricTails } from './metric-tails.js';
import { MetricController } from './metric.controller.js';
import { MetricResolver } from './metric.resolver.js';

/** Metrics of runs: their history, packed and decimated. */
@Global()
@Module({
  controllers: [MetricController],
  providers: [MetricTails, MetricExtents, MetricHistory, MetricResolver],
  exports: [MetricTails, MetricHistory],
})
export class MetricsModule {}

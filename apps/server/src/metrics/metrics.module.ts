import { Module } from '@nestjs/common';
import { MetricTails } from './metric-tails.js';

/** Metrics of runs: their history, packed and decimated. */
@Module({ providers: [MetricTails], exports: [MetricTails] })
export class MetricsModule {}

/**
 * @file The metrics of this server for Prometheus. A feature adds its own with `counter`, `gauge` and `histogram`;
 * names begin with `espalier_`.
 */
import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

@Injectable()
export class MetricsRegistry {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Adds a counter. @param read returns its value at each scrape, if it is counted elsewhere */
  counter<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    read?: () => number,
  ): Counter<L> {
    const counter: Counter<L> = new Counter({
      name: `espalier_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      ...(read === undefined ? {} : { collect: () => (counter.reset(), counter.inc(read())) }),
    });
    return counter;
  }

  /** Adds a gauge. @param collect is called at each scrape, and may set it */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    const gauge: Gauge<L> = new Gauge({
      name: `espalier_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect === undefined ? {} : { collect: () => collect(gauge) }),
    });
    return gauge;
  }

  /** Adds a histogram. @param buckets upper limits; default: seconds from 1 ms to 10 s */
  histogram<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
  ): Histogram<L> {
    return new Histogram({
      name: `espalier_${name}`,
      help,
      labelNames,
      buckets: [...buckets],
      registers: [this.registry],
    });
  }

  /** Renders all metrics in the text format of Prometheus. */
  async render(): Promise<{ type: string; text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }
}

/**
 * @file The figures of this server for Prometheus. A feature adds its own with `counter`, `gauge` and `histogram`;
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

  /** Adds a figure that only grows. @param read gives it when somebody asks, where it is counted elsewhere */
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

  /** Adds a figure that goes up and down. @param collect is called when somebody asks, and may set it */
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

  /** Adds a distribution. @param buckets upper limits; default: seconds from 1 ms to 10 s */
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

  /** All figures, in the text format of Prometheus. */
  async render(): Promise<{ type: string; text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }
}

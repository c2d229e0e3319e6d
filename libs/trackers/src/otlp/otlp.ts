/**
 * @file OpenTelemetry: metrics and one span tree per rollout, sent to a collector by OTLP 1.x over HTTP with JSON. Address
 * and headers are those of every OpenTelemetry client: OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { MetricRow } from '@espalier/recorder';
import { requestJson, splitCredentials } from '../http.js';
import type { OpenTracker, TrackedRun } from '../tracker.js';
import { attributes, nanos } from './otlp-json.js';
import { rolloutSpans } from './rollout-spans.js';

/** Spans in one request; collectors refuse bodies above some megabytes. */
const spansPerRequest = 2000;

export function createOtlp(
  target: { readonly url: string },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): OpenTracker {
  const { url, headers: ofUrl } = splitCredentials(target.url);
  const headers = { ...parseHeaders(environment['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''), ...ofUrl };
  const send = async (signal: 'metrics' | 'traces', body: object): Promise<void> =>
    void (await requestJson({ method: 'POST', url: `${url}/v1/${signal}`, headers, body }));
  return async (run, state) => {
    const id = String(state?.['id'] ?? randomUUID());
    const resource = { attributes: attributes(describeRun(run, id)) };
    const scope = { name: 'espalier' };
    return {
      state: { id },
      async log(rows) {
        const metrics = rows.flatMap(toGauges);
        if (metrics.length === 0) return;
        await send('metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] });
      },
      async trajectories(_step, trajectories, time) {
        const spans = trajectories.flatMap((trajectory) =>
          rolloutSpans(trajectory, { runId: id, end: time }),
        );
        for (let at = 0; at < spans.length; at += spansPerRequest) {
          const part = spans.slice(at, at + spansPerRequest);
          await send('traces', { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: part }] }] });
        }
      },
      // a collector knows no end of a run
      end: () => Promise.resolve(),
    };
  };
}

const describeRun = ({ name, spec }: TrackedRun, id: string) => ({
  'service.name': 'espalier',
  'service.instance.id': id,
  'host.name': hostname(),
  'espalier.run': name,
  'espalier.algorithm': spec.algorithm.use,
  'espalier.seed': spec.seed,
});

/** A gauge per value, and one for the step; a value that is not a number has the flag that says there is none. */
function toGauges({ step, time, values }: MetricRow): object[] {
  const timeUnixNano = nanos(time);
  const gauge = (name: string, value: number): object => ({
    name,
    gauge: {
      dataPoints: [Number.isFinite(value) ? { timeUnixNano, asDouble: value } : { timeUnixNano, flags: 1 }],
    },
  });
  return [
    gauge('espalier/step', step),
    ...Object.entries(values).map(([name, value]) => gauge(`espalier/${name}`, value)),
  ];
}

/** Reads `key=value,key2=value2` with percent-encoded values, as the specification of OTLP exporters says. */
function parseHeaders(text: string): Readonly<Record<string, string>> {
  const entries = text.split(',').flatMap((part): [string, string][] => {
    const at = part.indexOf('=');
    if (at < 1) return [];
    const value = part.slice(at + 1).trim();
    return [[part.slice(0, at).trim().toLowerCase(), decodeOr(value)]];
  });
  return Object.fromEntries(entries);
}

function decodeOr(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** @file How a tracker is named on a command line: `tensorboard`, `mlflow:http://127.0.0.1:5000`. */
import { join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { withoutSecrets } from './http.js';
import { createMlflow } from './mlflow.js';
import { createOtlp } from './otlp/otlp.js';
import { createTensorBoard } from './tensorboard/tensorboard.js';
import type { OpenTracker } from './tracker.js';

export interface NamedTracker {
  readonly name: 'tensorboard' | 'mlflow' | 'otlp';
  /** where it sends to, for people; without a password */
  readonly shown: string;
  readonly open: OpenTracker;
}

/** Forms for help texts and errors. */
export const trackerForms =
  'tensorboard, tensorboard:FOLDER, mlflow, mlflow:URL, mlflow:URL#EXPERIMENT, otlp or otlp:URL';

/**
 * Reads the name of a tracker. Without an address, MLflow's and OpenTelemetry's own variables name it:
 * MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME, OTEL_EXPORTER_OTLP_ENDPOINT.
 *
 * @throws cli.usage
 */
export function parseTracker(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): NamedTracker {
  const [, name = '', rest] = /^([a-z]+)(?::(.+))?$/s.exec(text.trim()) ?? [];
  switch (name) {
    case 'tensorboard':
      return {
        name,
        shown: rest ?? 'the folder tensorboard of the run',
        open: createTensorBoard((run) =>
          rest === undefined ? join(run.folder, 'tensorboard') : join(resolve(rest), run.name),
        ),
      };
    case 'mlflow': {
      const { url, fragment } = readAddress(
        text,
        rest ?? environment['MLFLOW_TRACKING_URI'],
        'MLFLOW_TRACKING_URI',
      );
      const experiment = fragment || environment['MLFLOW_EXPERIMENT_NAME'] || 'espalier';
      return { name, shown: withoutSecrets(url), open: createMlflow({ url, experiment }, environment) };
    }
    case 'otlp': {
      const variable = 'OTEL_EXPORTER_OTLP_ENDPOINT';
      const { url } = readAddress(text, rest ?? environment[variable] ?? 'http://127.0.0.1:4318', variable);
      return { name, shown: withoutSecrets(url), open: createOtlp({ url }, environment) };
    }
    default:
      throw new AppError('cli.usage', `report to "${text}": no such tracker; known: ${trackerForms}`);
  }
}

function readAddress(
  text: string,
  address: string | undefined,
  variable: string,
): { readonly url: string; readonly fragment: string } {
  const parsed = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    const found =
      address === undefined ? `no address, and ${variable} is not set` : 'the address is not http or https';
    throw new AppError(
      'cli.usage',
      `report to "${text}": ${found}; write ${text.split(':')[0]}:http://HOST:PORT`,
    );
  }
  const fragment = decodeURIComponent(parsed.hash.slice(1));
  parsed.hash = '';
  return { url: parsed.href, fragment };
}

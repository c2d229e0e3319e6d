/**
 * @file MLflow: a run in an experiment of a tracking server, by its REST API 2.0. Credentials are those of MLflow's own
 * clients: MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD.
 */
import { AppError, type RunOutcome } from '@espalier/contracts';
import { describeEnvironments } from '@espalier/contracts/mixing';
import type { MetricRow } from '@espalier/recorder';
import { flatOptions } from './flat-options.js';
import { basicAuthorization, requestJson, splitCredentials } from './http.js';
import type { OpenTracker, TrackedRun } from './tracker.js';

/** Most of each in one request, by MLflow's documentation of log-batch. */
const limits = { metrics: 1000, params: 100, paramLength: 6000, tagLength: 5000 };

/** What the end of a run is called there; one that can be resumed was killed. */
const statusOf: Readonly<Record<RunOutcome, string>> = {
  finished: 'FINISHED',
  'no-signal': 'FAILED',
  collapsed: 'FAILED',
  failed: 'FAILED',
  paused: 'KILLED',
  interrupted: 'KILLED',
};

/** Creates the tracker of a server; `experiment` is created when it is missing. */
export function createMlflow(
  target: { readonly url: string; readonly experiment: string },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): OpenTracker {
  const { url, headers: ofUrl } = splitCredentials(target.url);
  const headers = { ...authorizationOf(environment), ...ofUrl };
  const call = (method: 'GET' | 'POST', path: string, body?: unknown, accepted?: readonly number[]) =>
    requestJson({ method, url: `${url}/api/2.0/mlflow/${path}`, headers, body }, accepted);

  async function findExperiment(): Promise<string> {
    const query = `experiments/get-by-name?experiment_name=${encodeURIComponent(target.experiment)}`;
    const found = await call('GET', query, undefined, [404]);
    if (found.status !== 404) return textOf(found.body, 'experiment', 'experiment_id');
    const created = await call('POST', 'experiments/create', { name: target.experiment });
    return textOf(created.body, 'experiment_id');
  }

  async function createRun(run: TrackedRun): Promise<string> {
    const { body } = await call('POST', 'runs/create', {
      experiment_id: await findExperiment(),
      run_name: run.name,
      start_time: Date.now(),
      tags: [
        { key: 'espalier.algorithm', value: run.spec.algorithm.use },
        { key: 'espalier.environment', value: describeEnvironments(run.spec) },
        { key: 'espalier.folder', value: run.folder.slice(0, limits.tagLength) },
      ],
    });
    const id = textOf(body, 'run', 'info', 'run_id');
    const params = flatOptions(run.spec).map(([key, value]) => ({
      key: asName(key),
      value: value.slice(0, limits.paramLength),
    }));
    for (let at = 0; at < params.length; at += limits.params)
      await call('POST', 'runs/log-batch', { run_id: id, params: params.slice(at, at + limits.params) });
    return id;
  }

  return async (run, state) => {
    const known = state?.['runId'];
    const runId = typeof known === 'string' ? known : await createRun(run);
    // a run that goes on is running again
    if (known !== undefined) await call('POST', 'runs/update', { run_id: runId, status: 'RUNNING' });
    return {
      state: { runId },
      async log(rows) {
        const metrics = rows.flatMap(toMetrics);
        for (let at = 0; at < metrics.length; at += limits.metrics)
          await call('POST', 'runs/log-batch', {
            run_id: runId,
            metrics: metrics.slice(at, at + limits.metrics),
          });
      },
      async end({ outcome, message, health, time }) {
        const tags = [
          { key: 'espalier.outcome', value: outcome },
          { key: 'mlflow.note.content', value: message.slice(0, limits.tagLength) },
          ...(health === undefined ? [] : [{ key: 'espalier.health', value: health.state }]),
        ];
        await call('POST', 'runs/log-batch', { run_id: runId, tags });
        await call('POST', 'runs/update', { run_id: runId, status: statusOf[outcome], end_time: time });
      },
    };
  };
}

/** MLflow's JSON takes what JSON lacks as words. */
const toMetrics = ({ step, time, values }: MetricRow): object[] =>
  Object.entries(values).map(([key, value]) => ({
    key: asName(key),
    value: Number.isFinite(value)
      ? value
      : Number.isNaN(value)
        ? 'NaN'
        : value > 0
          ? 'Infinity'
          : '-Infinity',
    timestamp: Math.round(time),
    step,
  }));

/** Names there have letters, digits, and `_-. :/`, at most 250. */
const asName = (name: string): string => name.replaceAll(/[^\w\-./: ]/g, '_').slice(0, 250);

function authorizationOf(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const {
    MLFLOW_TRACKING_TOKEN: token,
    MLFLOW_TRACKING_USERNAME: user,
    MLFLOW_TRACKING_PASSWORD: password,
  } = environment;
  if (user !== undefined && password !== undefined) return basicAuthorization(user, password);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Reads a text in an answer. @throws tracker.refused */
function textOf(body: Readonly<Record<string, unknown>>, ...path: readonly string[]): string {
  let value: unknown = body;
  for (const key of path)
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new AppError(
    'tracker.refused',
    `the answer of the MLflow server has no ${path.join('.')}; check that its address is that of a tracking server`,
  );
}

/** @file What is stored of a new run: its row with the text that it is found by, and the warnings about its spec. */
import { listSections } from '@espalier/config/plain';
import type { EntityManager } from 'typeorm';
import { Run } from '../../database/entities/run.js';
import type { NewRecord, RunLog } from '../../database/run-log.js';
import { createAlert } from '../../history/alerts/alert.service.js';
import type { SpecWarning } from '../../plugins/catalogue-messages.js';
import { annotationRequest, type RunAnnotation } from '../run-request.js';

type Given = 'id' | 'project' | 'name' | 'spec' | 'specHash' | 'needs' | 'createdAt' | 'createdBy';

/** Fills in the initial values of a run; the entity has the others. */
export function newRun(given: Pick<Run, Given> & Partial<Run>): Run {
  const run = Object.assign(new Run(), { source: null, importContent: null }, given);
  run.search = searchTextOf(run);
  return run;
}

const annotations = Object.keys(annotationRequest.shape) as (keyof RunAnnotation)[];

/** The words a run is found by: its name, plugins and annotations; lower case, separated by single spaces. */
export function searchTextOf(run: Pick<Run, 'name' | 'spec' | keyof RunAnnotation>): string {
  const { algorithm, model } = run.spec;
  const sections = listSections(run.spec);
  const environments = sections.map(({ value }) => value['environment']);
  const rewards = sections.flatMap(({ value }) =>
    Array.isArray(value['rewards']) ? (value['rewards'] as unknown[]) : [],
  );
  const tags = sections.flatMap(({ path }) => path.at(-1) ?? []);
  const plugins = new Set([...environments, algorithm, model, ...rewards].map(pluginName));
  return [run.name, ...plugins, ...tags, ...annotations.flatMap((annotation) => run[annotation])]
    .join(' ')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 20_000);
}

function pluginName(chosen: unknown): string {
  const use = (chosen as { use?: unknown } | undefined)?.use;
  return typeof use === 'string' ? use : '';
}

/**
 * Stores warnings about the spec of a new run as alerts, inside a write, and returns their records, which belong to no
 * attempt.
 */
export async function storeWarnings(
  log: RunLog,
  manager: EntityManager,
  { id, project, createdAt: time }: Pick<Run, 'id' | 'project' | 'createdAt'>,
  warnings: readonly SpecWarning[],
): Promise<NewRecord[]> {
  if (warnings.length === 0) return [];
  const events = warnings.map((warning) => ({ kind: 'warning' as const, time, step: -1, ...warning }));
  await log.storeAlerts(
    manager,
    events.map((event) => createAlert(id, project, event)),
  );
  await manager.update(Run, { id }, { warnings: warnings.length });
  return events.map(({ kind, step, code, message }) => ({
    kind,
    attempt: 0,
    step,
    time,
    body: { code, message },
  }));
}

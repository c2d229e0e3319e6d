/** @file REST responses about runs. */
import { jobNeeds, pluginVersion } from '@espalier/protocol';
import { z } from 'zod';
import { arrayOf, objectOf, pageShape, type Shape, shapeOf, dtoShape } from './response-schema.js';
import type { BulkOutcome } from '../../core/runs/run-bulk.service.js';
import { toRunDto } from '../../core/runs/run-dto.js';
import { RunComparison } from '../../core/runs/comparison.type.js';
import { RunPlan } from '../../core/runs/run-plan.type.js';
import { Run } from '../../core/database/entities/run.js';

const also = {
  needs: shapeOf(jobNeeds),
  plugins: shapeOf(z.array(pluginVersion).nullable()),
  versions: shapeOf(z.record(z.string(), z.string()).nullable()),
};
export const run = dtoShape(Run, { also });
/** Of a list: without what may be long. */
const listedRun = dtoShape(Run, {
  name: 'ListedRun',
  without: ['spec', 'source'],
  also,
});
export const runList = pageShape(listedRun);
export const runPlan = dtoShape(RunPlan, {
  also: {
    needs: shapeOf(jobNeeds),
    plugins: shapeOf(z.array(pluginVersion)),
    sources: shapeOf(z.record(z.string(), z.string())),
    estimate: shapeOf(z.record(z.string(), z.unknown()).nullable()),
  },
});
export const runComparison = dtoShape(RunComparison);

const refusal = objectOf({ code: () => ({ type: 'string' }), message: () => ({ type: 'string' }) });
const orNull =
  (shape: Shape): Shape =>
  (book) => ({ anyOf: [shape(book), { type: 'null' }] });
/** Of an action on several runs: for each the run or the refusal. */
export const bulkRuns = objectOf({
  items: arrayOf(objectOf({ runId: () => ({ type: 'string' }), run: orNull(run), refusal: orNull(refusal) })),
});

export function toBulkResponse(outcome: BulkOutcome): object {
  const { runId } = outcome;
  if ('run' in outcome) return { runId, run: toRunDto(outcome.run), refusal: null };
  const { code, message } = outcome.refusal;
  return { runId, run: null, refusal: { code, message } };
}

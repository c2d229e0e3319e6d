/** @file What REST answers about runs. */
import { jobNeeds } from '@espalier/protocol';
import { pageShape, shapeOf, told } from './answer-schema.js';
import { RunComparison } from '../../core/runs/comparison.type.js';
import { RunPlan } from '../../core/runs/run-plan.type.js';
import { Run } from '../../core/database/entities/run.js';

export const run = told(Run, { also: { needs: shapeOf(jobNeeds) } });
/** Of a list: without what may be long. */
const listedRun = told(Run, {
  ...{ name: 'ListedRun', without: ['spec', 'source'] },
  also: { needs: shapeOf(jobNeeds) },
});
export const runList = pageShape(listedRun);
export const runPlan = told(RunPlan, { also: { needs: shapeOf(jobNeeds) } });
export const runComparison = told(RunComparison);

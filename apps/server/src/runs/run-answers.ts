/** @file What REST answers about runs. */
import { jobNeeds } from '@espalier/protocol';
import { listOf, shapeOf, told } from '../http/answer-schema.js';
import { RunComparison } from './comparison.type.js';
import { RunPlan } from './run-plan.type.js';
import { Run } from './run.entity.js';

export const run = told(Run, { also: { needs: shapeOf(jobNeeds) } });
/** Of a list: without what may be long. */
const listedRun = told(Run, {
  ...{ name: 'ListedRun', without: ['spec', 'source'] },
  also: { needs: shapeOf(jobNeeds) },
});
export const runList = listOf(listedRun);
export const runPlan = told(RunPlan, { also: { needs: shapeOf(jobNeeds) } });
export const runComparison = told(RunComparison);

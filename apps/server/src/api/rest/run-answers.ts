/** @file What REST answers about runs. */
import { jobNeeds, pluginVersion } from '@espalier/protocol';
import { z } from 'zod';
import { pageShape, shapeOf, told } from './answer-schema.js';
import { RunComparison } from '../../core/runs/comparison.type.js';
import { RunPlan } from '../../core/runs/run-plan.type.js';
import { Run } from '../../core/database/entities/run.js';

const also = {
  needs: shapeOf(jobNeeds),
  plugins: shapeOf(z.array(pluginVersion).nullable()),
  versions: shapeOf(z.record(z.string(), z.string()).nullable()),
};
export const run = told(Run, { also });
/** Of a list: without what may be long. */
const listedRun = told(Run, {
  ...{ name: 'ListedRun', without: ['spec', 'source'] },
  also,
});
export const runList = pageShape(listedRun);
export const runPlan = told(RunPlan, {
  also: {
    needs: shapeOf(jobNeeds),
    plugins: shapeOf(z.array(pluginVersion)),
    sources: shapeOf(z.record(z.string(), z.string())),
    estimate: shapeOf(z.record(z.string(), z.unknown()).nullable()),
  },
});
export const runComparison = told(RunComparison);

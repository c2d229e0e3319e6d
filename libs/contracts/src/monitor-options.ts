/** @file The options of the collapse monitor. The limits of its rules are in `@espalier/diagnostics`. */
import { z } from 'zod';
import { ruleNames } from './health.js';

const limit = z.number().min(0).nullable().optional();

const limits = z
  .strictObject({
    warning: limit.describe('limit of a warning; null = the rule never warns'),
    collapsed: limit.describe('limit of a collapse; null = the rule never calls one'),
  })
  .describe('limits that differ from those of the rule; both null = off');

export const monitor = z.strictObject({
  every: z
    .int()
    .min(0)
    .default(1)
    .meta({ unit: 'iterations' })
    .describe('iterations between checks; 0 = the collapse monitor is off'),
  patience: z
    .int()
    .min(1)
    .max(100)
    .default(2)
    .describe('checks in a row at which a rule must fire before the state changes'),
  recovery: z
    .int()
    .min(1)
    .max(100)
    .default(3)
    .describe('checks in a row without any finding after which the run is healthy again'),
  rules: z
    .partialRecord(z.enum(ruleNames), limits)
    .default({})
    .describe(
      'limits of rules by name (docs/learn/collapse.md has the list), e.g. `entropy-rise: { warning: 4 }`',
    ),
});
export type MonitorOptions = z.output<typeof monitor>;

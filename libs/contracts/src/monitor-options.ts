/** @file The options of the collapse monitor. The limits of its rules are in `@espalier/diagnostics`. */
import { z } from 'zod';
import { monitorActions, ruleNames } from './health.js';
import { changeablePath, changeablePathForm } from './spec-changes.js';

const limit = z.number().min(0).nullable().optional();

const limits = z
  .strictObject({
    warning: limit.describe('limit of a warning; null = the rule never warns'),
    collapsed: limit.describe('limit of a collapse; null = the rule never calls one'),
  })
  .describe('limits that differ from those of the rule; both null = off');

const change = z
  .strictObject({
    to: z.number().optional().describe('sets the number'),
    times: z.number().gt(0).optional().describe('multiplies the number that is in force'),
  })
  .refine(({ to, times }) => (to === undefined) !== (times === undefined), 'give one of `to` and `times`');

const response = (when: string) =>
  z.strictObject({
    action: z
      .enum(monitorActions)
      .default('alert')
      .describe(
        `what to do when the run ${when}: alert = only say so; pause = save and end so that it can be resumed; stop = save and end; rollBack = return to the last healthy checkpoint`,
      ),
    change: z
      .record(z.string().regex(changeablePath, changeablePathForm), change)
      .default({})
      .describe(
        'settings that a roll-back changes, by path, e.g. `optimizer.learningRate: { times: 0.3 }`, `update.epochs: { to: 1 }`, `algorithm.keepRatio: { to: 0.5 }` or `filter.value: { times: 0.5 }`',
      ),
  });

export const monitor = z.strictObject({
  every: z
    .int()
    .min(0)
    .default(1)
    .meta({ unit: 'iterations' })
    .describe('iterations between checks; 0 = the collapse monitor is off'),
  mutualInformation: z
    .strictObject({
      every: z
        .int()
        .min(0)
        .default(5)
        .meta({ unit: 'checks' })
        .describe('checks between measurements, the first one measured; 0 = off'),
      samples: z
        .int()
        .min(2)
        .max(128)
        .default(16)
        .meta({ unit: 'replies' })
        .describe(
          'first replies that are each scored under the first prompts of all; the cost grows with the square',
        ),
    })
    .prefault({})
    .describe(
      'how much the reasoning tells about its prompt: each is scored under the other prompts of the batch',
    ),
  probes: z
    .strictObject({
      every: z
        .int()
        .min(0)
        .default(5)
        .meta({ unit: 'checks' })
        .describe('checks between measurements, the first one measured; 0 = off'),
      prompts: z
        .int()
        .min(1)
        .max(256)
        .default(8)
        .meta({ unit: 'prompts' })
        .describe('initial states of the validation split, with a reply of the starting policy each'),
    })
    .prefault({})
    .describe('how far the policy has moved from its start on fixed prompts'),
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
  onWarning: response('enters the state warning').prefault({}).describe('what to do about a warning'),
  onCollapse: response('has collapsed').prefault({}).describe('what to do about a collapse'),
  maxRollBacks: z
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe('roll-backs of a run; it stops where another one would follow'),
});

/** @file What the records of a run say, by their kind; metric rows aside, which are sent in columns. */
import { attemptEvent, jobKinds, type JobState, jobStates, trajectoryRow } from '@espalier/protocol';
import { count, text } from '@espalier/protocol/bounds';
import { z } from 'zod';

/** The fields of an event besides its kind, time and step, which every record has. */
function fieldsOf(kind: z.output<typeof attemptEvent>['kind']): z.ZodObject {
  const found = attemptEvent.options.find(({ shape }) => shape.kind.value === kind);
  const { kind: _kind, time: _time, step: _step, ...fields } = found?.shape as Record<string, z.ZodType>;
  return z.object(fields);
}

const state = z.enum(Object.keys(jobStates) as [JobState]);
const { id, reward, success, stopReason, turns, group, index } = trajectoryRow.shape;

/** The bodies of records by their kind. */
export const recordBodies = {
  state: z.object({
    from: state.nullable().describe('state before; null: the job is new'),
    to: state.describe('state now'),
    message: text(20_000).describe('why, in a sentence; empty: nothing to explain'),
    attempt: count.describe('attempts at the job so far'),
    jobId: text(64).describe('the job'),
    job: z.enum(jobKinds).describe('what the job does'),
  }),
  'run-started': fieldsOf('run-started'),
  'run-ended': fieldsOf('run-ended'),
  'process-started': fieldsOf('process-started'),
  'process-ended': fieldsOf('process-ended'),
  trajectory: z.object({
    id,
    reward: reward.describe('total score; null: not finite'),
    success: success.describe('the environment reports success'),
    stopReason: stopReason.describe('why it ended'),
    turns: turns.describe('turns played'),
    group: group.describe('its group: the trajectories of one initial state'),
    index: index.describe('index within the group'),
  }),
  checkpoint: fieldsOf('checkpoint'),
  artifact: fieldsOf('artifact'),
  evaluated: fieldsOf('evaluated'),
  level: fieldsOf('level'),
  warning: fieldsOf('warning'),
  monitor: fieldsOf('monitor'),
  log: fieldsOf('log'),
  note: z.object({
    by: text(200).describe('name of the key it was changed with'),
    title: text(200).optional().describe('the new title; null: unchanged'),
    tags: z.array(text(64)).optional().describe('the new tags; null: unchanged'),
    group: text(64).optional().describe('the new group, empty: none; null: unchanged'),
    note: text(20_000).optional().describe('the new note; null: unchanged'),
  }),
};
export type RecordKind = keyof typeof recordBodies;

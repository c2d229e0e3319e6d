/** @file Alerts with their evidence, what users say of them, and samples of trajectories. */
import {
  type AlertExamplesInput,
  type AlertFilter,
  JudgeAlertDocument,
  ListAlarmsDocument,
  type ListAlarmsQuery,
  ReadAlertExamplesDocument,
  type ReadAlertExamplesQuery,
  ReadAlertRecordDocument,
  type ReadAlertRecordQuery,
  SampleTrajectoriesDocument,
  type SampleTrajectoriesQuery,
  type JudgeAlertInput,
  type TrajectorySampleInput,
  WatchRunAlertsDocument,
} from './generated/operations.js';
import { collectPages, toPage } from './pages.js';
import type { Answered, Transport } from './transport.js';
import { unwrapResult } from './unwrap-result.js';

/** An alert with the rules that fired and the words of users. */
export type Alarm = Answered<ListAlarmsQuery>['alerts']['nodes'][number];
export type AlertExamples = Answered<ReadAlertExamplesQuery>['alertExamples'];
export type AlertRecord = Answered<ReadAlertRecordQuery>['alertRecord'];
export type TrajectorySample = Answered<SampleTrajectoriesQuery>['trajectorySample'];

export interface VerdictsApi {
  /** Lists alerts with evidence and verdicts, newest first. */
  alarms(filter: AlertFilter): Promise<readonly Alarm[]>;
  /** Says whether an alert was right, in place of what the key said before. */
  judge(alertId: string, verdict: Omit<JudgeAlertInput, 'alertId'>): Promise<void>;
  /** Reads the trajectories that show an alert best, and what they were chosen by. */
  examples(alertId: string, examples?: AlertExamplesInput): Promise<AlertExamples>;
  /** Reads how often alerts were right. @param project default: all that the key may see */
  record(project?: string): Promise<AlertRecord>;
  /** Draws trajectories from a range of steps; the same seed draws the same ones. */
  sample(runId: string, sample: TrajectorySampleInput): Promise<TrajectorySample>;
  /** Yields the id of each alert of a run that is raised, acknowledged or judged. */
  watchAlerts(runId: string): AsyncGenerator<string>;
}

/** Creates these calls. */
export function createVerdictsApi({ request, subscribe }: Transport): VerdictsApi {
  return {
    alarms: (filter) =>
      collectPages(async ({ after }) =>
        toPage((await request(ListAlarmsDocument, { filter, first: 50, after })).alerts),
      ),
    judge: async (alertId, verdict) => {
      const input = { ...verdict, alertId };
      unwrapResult((await request(JudgeAlertDocument, { input })).judgeAlert);
    },
    examples: async (alertId, examples) =>
      (await request(ReadAlertExamplesDocument, { alertId, examples: examples ?? null })).alertExamples,
    record: async (project) =>
      (await request(ReadAlertRecordDocument, { project: project ?? null })).alertRecord,
    sample: async (runId, sample) =>
      (await request(SampleTrajectoriesDocument, { runId, sample })).trajectorySample,
    async *watchAlerts(runId) {
      for await (const { alertChanged } of subscribe(WatchRunAlertsDocument, { runId }))
        yield alertChanged.id;
    },
  };
}

/** @file A run with trajectories that can be rated: validations before and after an alarm, with files, on a server. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { runLayout, type Trajectory } from '@espalier/contracts';
import { metricsOfInput, type RuleName } from '@espalier/contracts/health';
import { healthRules } from '@espalier/diagnostics';
import { encodeTrajectory } from '@espalier/recorder';
import { DataSource } from 'typeorm';
import { ArtifactService } from '../../apps/server/src/core/artifacts/artifact.service.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { metricsEvent, trajectoryEvent } from './events.js';
import { sha256Of } from './held-attempt.js';
import type { TestServer } from './start-server.js';
import { wholeTrajectory } from './whole-trajectory.js';
import { createWriter, type EventWriter } from './write-events.js';

const turnOf = (index: number, observation: string, response: string) => ({
  index,
  observation,
  stateKey: '',
  render: observation,
  response,
  think: '',
  answer: response,
  formatValid: true,
  parsedActions: [],
  actions: [],
  reward: 0,
  formatPenalty: 0,
  sampleStop: 'stop',
  sampled: { start: 1, end: 3 },
  facts: {},
  timings: { sampleMs: 1, environmentMs: 1 },
});

const metricsOf = (rule: RuleName): readonly string[] => metricsOfInput(healthRules[rule].input).metrics;

/** The steps that were validated: before the alarm and at it. */
export const ratedSteps = { before: 5, after: 10, alarm: 8 } as const;

/**
 * Writes a run of 10 steps whose entropy falls: four validation states at steps 5 and 10, which succeed before and fail
 * after, and an alarm at step 8.
 *
 * @param said stands after all that the model was shown and has written
 * @param rules that fired besides
 */
export async function writeRatedRun(
  server: TestServer,
  project = 'default',
  said = '',
  rules: readonly RuleName[] = [],
): Promise<EventWriter> {
  const writer = await createWriter(server, project);
  const runs = server.app.get(DataSource).getRepository(Run);
  await runs.update({ id: writer.runId }, { steps: 10, name: 'fading' });
  const entropies = [1.2, 1.18, 1.22, 1.1, 0.9, 0.6, 0.42, 0.38, 0.2, 0.1];
  await writer.write(
    entropies.map((entropy, i) =>
      metricsEvent(i + 1, {
        ...Object.fromEntries(rules.flatMap(metricsOf).map((name) => [name, entropy])),
        'rollout/entropy': entropy,
        'rollout/success_rate': entropy / 2,
      }),
    ),
  );
  const finding = {
    rule: 'entropy-fall' as const,
    level: 'warning' as const,
    input: 'entropy',
    measure: 0.35,
    limit: 0.4,
    value: 0.41,
    baseline: 1.17,
    since: 7,
    history: entropies.slice(0, 8),
  };
  const time = 1_800_000_000_000 + ratedSteps.alarm;
  const message = 'entropy-fall: entropy is 0.41, was 1.17';
  await writer.write([
    {
      kind: 'monitor',
      time,
      step: ratedSteps.alarm,
      state: 'warning',
      previous: 'healthy',
      action: 'alert',
      restored: null,
      changes: [],
      findings: [finding, ...rules.map((rule) => ({ ...finding, rule, input: healthRules[rule].input }))],
      message,
    },
    { kind: 'warning', time, step: ratedSteps.alarm, code: 'monitor.warning', message },
  ] as Parameters<EventWriter['write']>[0]);
  for (const step of [ratedSteps.before, ratedSteps.after]) await writeValidation(server, writer, step, said);
  return writer;
}

async function writeValidation(
  server: TestServer,
  writer: EventWriter,
  step: number,
  said: string,
): Promise<void> {
  const isBefore = step === ratedSteps.before;
  const states = [0, 1, 2, 3];
  const idOf = (state: number): string => `validation/${step}/${state}/0`;
  await writer.write(
    states.map((state) =>
      trajectoryEvent(step, 0, {
        id: idOf(state),
        split: 'validation',
        group: state,
        stateSeed: 100 + state,
        turns: 2,
        tokens: 3,
        success: isBefore,
        reward: isBefore ? 1 : 0,
        text: 'a lamp',
      }),
    ),
  );
  const lines = states.map((state) =>
    encodeTrajectory(
      {
        ...wholeTrajectory(idOf(state)),
        split: 'validation',
        step,
        group: state,
        labels: [],
        level: 1,
        success: isBefore,
        turns: [
          turnOf(
            0,
            `Lamp ${state} is off.${said}`,
            (isBefore ? 'I look for the switch first. Press it.' : 'Press press press.') + said,
          ),
          turnOf(1, 'You see a switch.', isBefore ? 'Press the switch.' : 'Press press press.'),
        ],
      } as unknown as Trajectory,
      { kept: true },
    ),
  );
  const file = gzipSync(`${lines.join('\n')}\n`, { level: 1 });
  const path = runLayout.trajectoriesOf(step);
  const artifacts = server.app.get(ArtifactService, { strict: false });
  await artifacts.store(writer.runId, writer.attemptId, 1, path, sha256Of(file), Readable.from([file]));
}

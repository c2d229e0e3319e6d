/**
 * @file The spans of a rollout: the episode, its turns, and in each the sampling and the environment. Durations are
 * measured; moments are inferred, as only they are recorded: an episode ends when its iteration does, and its turns follow
 * each other from its start. `espalier.timing` says so in each root span. What a policy writes stays in the run folder.
 */
import { createHash } from 'node:crypto';
import type { Trajectory, Turn } from '@espalier/contracts';
import { attributes, nanos } from './otlp-json.js';

const kindInternal = 1;
const statusError = 2;

/**
 * Gives the spans of one trajectory.
 *
 * @param place id of the run, from which ids follow, so that a span that is sent twice is the same one; `end` in ms since the epoch
 */
export function rolloutSpans(
  trajectory: Trajectory,
  place: { readonly runId: string; readonly end: number },
): object[] {
  const idOf = (part: string, length: number): string =>
    createHash('sha256').update(`${place.runId}\n${trajectory.id}\n${part}`).digest('hex').slice(0, length);
  const traceId = idOf('trace', 32);
  const root = idOf('rollout', 16);
  const start = place.end - trajectory.timings.totalMs;
  const span = (
    name: string,
    own: { readonly id: string; readonly parent?: string },
    time: { readonly start: number; readonly ms: number },
    values: Parameters<typeof attributes>[0],
  ) => ({
    traceId,
    spanId: own.id,
    ...(own.parent === undefined ? {} : { parentSpanId: own.parent }),
    name,
    kind: kindInternal,
    startTimeUnixNano: nanos(time.start),
    endTimeUnixNano: nanos(time.start + time.ms),
    attributes: attributes(values),
  });
  let at = start;
  const turns = trajectory.turns.flatMap((turn) => {
    const { sampleMs, environmentMs } = turn.timings;
    const id = idOf(`turn ${turn.index}`, 16);
    const begin = at;
    at += sampleMs + environmentMs;
    const child = (name: string, from: number, ms: number) =>
      span(name, { id: idOf(`turn ${turn.index} ${name}`, 16), parent: id }, { start: from, ms }, {});
    return [
      span('turn', { id, parent: root }, { start: begin, ms: sampleMs + environmentMs }, describeTurn(turn)),
      child('sample', begin, sampleMs),
      child('environment', begin + sampleMs, environmentMs),
    ];
  });
  const { error } = trajectory;
  return [
    {
      ...span(
        'rollout',
        { id: root },
        { start, ms: trajectory.timings.totalMs },
        describeEpisode(trajectory),
      ),
      ...(error === undefined ? {} : { status: { code: statusError, message: error.slice(0, 500) } }),
    },
    ...turns,
  ];
}

const describeEpisode = (trajectory: Trajectory) => ({
  'espalier.timing': 'durations measured, moments inferred',
  'espalier.trajectory': trajectory.id,
  'espalier.environment': trajectory.environment,
  'espalier.environment_tag': trajectory.environmentTag,
  'espalier.split': trajectory.split,
  'espalier.step': trajectory.step,
  'espalier.group': trajectory.group,
  'espalier.reward': trajectory.score.total,
  'espalier.success': trajectory.success,
  'espalier.stop_reason': trajectory.stopReason,
  'espalier.labels':
    trajectory.labels.length === 0 ? undefined : trajectory.labels.map(({ name }) => name).join(','),
});

const describeTurn = ({ index, sampled, reward, formatValid, actions, policyVersion }: Turn) => ({
  'espalier.turn': index,
  'gen_ai.usage.output_tokens': sampled.end - sampled.start,
  'espalier.reward': reward,
  'espalier.format_valid': formatValid,
  'espalier.actions': actions.length,
  'espalier.policy_version': policyVersion,
});

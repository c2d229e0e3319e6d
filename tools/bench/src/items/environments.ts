/**
 * @file Steps per second of every environment, single-threaded, plugins as shipped, in processor time: other work on the
 * machine takes less away. Episodes are recorded while the clock
 * stands, and played again from their seeds, so that every action is valid and choosing it costs nothing.
 */
import type { EnvironmentDefinition } from '@espalier/plugin-kit';
import { type BenchItem, type BenchRow, buildRow } from '../row.js';
import {
  type Clock,
  playRecorded,
  processorTime,
  recordEpisodes,
  type Recording,
  wallTime,
} from './episodes.js';
import { plainLoopRate } from './plain-loop.js';

/** Loads an environment as it is shipped, without the guards of the plugin host. */
export async function loadEnvironment(id: string): Promise<EnvironmentDefinition<unknown>> {
  const loaded = (await import(`@espalier/environment-${id}`)) as { default: EnvironmentDefinition<unknown> };
  return loaded.default;
}

/** Steps of `mcp` are answered by a server in a process of its own, whose processor time is not ours to read. */
const clockOf = (id: string): Clock => (id === 'mcp' ? wallTime : processorTime);

/**
 * Rows `env/<id>` (random valid actions, resets while the clock stands), `env/<id>/episodes` (the same, resets included)
 * and `env/<id>/oracle` (the oracle's actions, resets included, planning not).
 */
export const environmentSteps =
  (id: string): BenchItem =>
  async ({ short }) => {
    const definition = await loadEnvironment(id);
    const params = definition.params.parse({});
    const clock = clockOf(id);
    const baseline = { name: 'plain loop, 1e6 turns/s', value: plainLoopRate(clock) };
    const timing = clock === processorTime ? 'processor time' : 'wall clock';
    const row = (name: string, rate: number, notes: string): BenchRow =>
      buildRow(name, rate, 'steps/s', baseline, `${timing}; ${notes}`);
    const rate = async (recording: Recording) =>
      playRecorded(definition, params, recording, short ? 0.2 : 3, clock);
    const random = await recordEpisodes(definition, params, 'random', short);
    const chance = await rate(random);
    const rows = [
      row(`env/${id}`, chance.steps, 'random valid actions, resets not included'),
      row(
        `env/${id}/episodes`,
        chance.episodes,
        `random valid actions, resets included; ${describe(random)}`,
      ),
    ];
    const oracle = await recordEpisodes(definition, params, 'oracle', short);
    if (oracle.steps === 0) return rows;
    const { episodes } = await rate(oracle);
    return [...rows, row(`env/${id}/oracle`, episodes, `resets included, planning not; ${describe(oracle)}`)];
  };

const describe = ({ episodes, steps }: Recording): string =>
  `${(steps / episodes.length).toFixed(1)} steps an episode`;

/** Levels made from fresh seeds, 6×6, one box. */
export const sokobanLevels: BenchItem = async ({ short }) => {
  const sokoban = await loadEnvironment('sokoban');
  const instance = sokoban.create(sokoban.params.parse({}));
  const count = short ? 200 : 10_000;
  const begin = processorTime();
  for (let seed = 10_000; seed < 10_000 + count; seed += 1) void instance.reset({ state: seed, noise: seed });
  const rate = count / ((processorTime() - begin) / 1000);
  const baseline = { name: 'plain loop, 1e6 turns/s', value: plainLoopRate(processorTime) };
  return [buildRow('levels/sokoban', rate, 'levels/s', baseline, 'processor time')];
};

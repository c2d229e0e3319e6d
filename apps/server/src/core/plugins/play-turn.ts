/** @file Plays a stored trajectory on by hand: brings its environment to a turn, takes actions, and shows the state. */
import { AppError } from '@espalier/contracts';
import type { PluginRegistry } from '@espalier/plugin-host';
import { replayTurns } from '@espalier/rollout/continue';
import type { PlayedState, PlayRequest } from './catalogue-messages.js';

/** Keys of a chosen environment that are not options of the plugin. */
const hostKeys = ['use', 'isolation', 'callTimeoutMs'];

/** @throws plugin.not_found, rollout.not_repeatable, and what the environment throws */
export async function playTurn(request: PlayRequest, registry: PluginRegistry): Promise<PlayedState> {
  const { environment: chosen, trajectory, turn, actions, timeoutMs } = request;
  const definition = registry.get('environment', chosen.use);
  const params = Object.fromEntries(Object.entries(chosen).filter(([key]) => !hostKeys.includes(key)));
  const reason =
    definition.agent !== undefined
      ? 'a program plays it, which cannot be brought to a turn'
      : definition.reads?.(params).episodes !== undefined
        ? 'its episodes need processes of their own'
        : undefined;
  if (reason !== undefined)
    throw new AppError(
      'rollout.not_repeatable',
      `play ${trajectory.id} on by hand: ${reason}; play the environment ${chosen.use} where it runs, with \`espalier play\``,
    );
  const environment = definition.create(params);
  try {
    const { observation, steps, ended } = await replayTurns(environment, trajectory, turn, {
      actions,
      timeoutMs,
    });
    const isOver = ended !== undefined;
    return {
      observation: observation.text,
      legend: Object.entries(observation.legend ?? {}).map(([symbol, meaning]) => ({ symbol, meaning })),
      actions: observation.actions === undefined ? null : [...observation.actions],
      render: environment.render(),
      image: environment.picture === undefined ? null : Buffer.from(environment.picture()).toString('base64'),
      hasOracle: environment.oracle !== undefined,
      plan: isOver || environment.oracle === undefined ? null : [...environment.oracle()],
      steps: steps.map((step) => ({ ...step, slipped: step.slipped ?? null })),
      ended: ended ?? null,
    };
  } finally {
    await environment.close?.();
  }
}

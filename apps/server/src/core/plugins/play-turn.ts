/** @file Plays by hand: brings an environment to its first state, or to a turn of a stored trajectory, takes actions, shows the state. */
import { resolvePluginOptions } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import type { PluginRegistry } from '@espalier/plugin-host';
import { replayTurns } from '@espalier/rollout/continue';
import type { PlayedState, PlayRequest } from './catalogue-messages.js';

/** Keys of a chosen environment that are not options of the plugin. */
const hostKeys = ['use', 'isolation', 'callTimeoutMs'];

type Options = Readonly<Record<string, unknown>>;

/** What an environment tells of how it is played. */
interface Playable {
  readonly agent?: unknown;
  reads?(params: Options): { readonly episodes?: number | undefined };
}

/** @throws plugin.not_found, rollout.not_repeatable, errors of its options, and what the environment throws */
export async function playTurn(request: PlayRequest, registry: PluginRegistry): Promise<PlayedState> {
  const { environment: chosen, seeds, trajectory, turn, actions, timeoutMs } = request;
  const definition = registry.get('environment', chosen.use);
  const given = Object.fromEntries(Object.entries(chosen).filter(([key]) => !hostKeys.includes(key)));
  // those of a trajectory were resolved when its run was created
  const params =
    trajectory === undefined
      ? resolvePluginOptions(registry, 'environment', chosen.use, given, 'environment')
      : given;
  const reason = whyNotHere(definition, params, trajectory === undefined);
  const what = trajectory?.id ?? `environment ${chosen.use}`;
  if (reason !== undefined)
    throw new AppError(
      'rollout.not_repeatable',
      `play ${what} by hand: ${reason}; play the environment ${chosen.use} where it runs, with \`espalier play\``,
    );
  const environment = definition.create(params);
  try {
    const repeated = trajectory ?? { id: what, seeds, turns: [] };
    const { observation, steps, ended } = await replayTurns(environment, repeated, turn, {
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
      facts: { ...environment.facts?.() },
      hasOracle: environment.oracle !== undefined,
      plan: isOver || environment.oracle === undefined ? null : [...environment.oracle()],
      steps: steps.map((step) => ({ ...step, slipped: step.slipped ?? null })),
      ended: ended ?? null,
    };
  } finally {
    await environment.close?.();
  }
}

/** Why an environment cannot be played by the server; undefined: it can. */
function whyNotHere(definition: Playable, params: Options, isChosenByKey: boolean): string | undefined {
  if (definition.agent !== undefined) return 'a program plays it, which cannot be brought to a turn';
  if (definition.reads?.(params).episodes !== undefined)
    return 'its episodes need processes or services of their own';
  if (
    isChosenByKey &&
    Object.values(params).some((value) => (value as Options | null)?.['source'] === 'files')
  )
    return 'its options name files, and a key may not choose files of the server’s machine';
  return undefined;
}

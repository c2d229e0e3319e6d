import { AppError, hasCode } from '@espalier/contracts';
import type { FolderModel } from '@espalier/contracts/model-choice';
import { findFall } from '@espalier/protocol/continued';
import { listTrajectorySteps, readTrajectories, type StoredTrajectory } from '@espalier/recorder';
import { type ContinuedTrajectory, continueTrajectory } from '@espalier/trainer/continue';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { isolateRun } from '../local/isolate-run.js';
import { parseModelName, runOf } from '../local/named-model.js';
import { openConfig } from '../local/open-config.js';
import { noteCorrupt } from '../local/open-model.js';
import { configOfRun, trajectoriesFolder } from '../local/recorded-run.js';
import { requireSamplingDevice } from '../local/require-device.js';
import { planRun } from '../local/resolve-run.js';
import { collect, parseAmount, parseCount, parseCounts } from '../parse-arguments.js';
import { counted, percent, percentWithInterval, short } from '../view/numbers.js';
import { createProgressNote } from '../view/progress-note.js';

interface ContinueOptions {
  readonly run?: string;
  readonly config?: string;
  readonly trajectories?: string;
  readonly turns?: readonly number[];
  readonly episodes: number;
  readonly temperature?: number;
  readonly base?: string;
  readonly set: string[];
  readonly json?: boolean;
}

/** Adds `espalier continue`. */
export function addContinueCommand(program: Command, { console }: CommandContext): void {
  program
    .command('continue <model> <trajectory>')
    .description(
      'let a model continue a stored trajectory from its turns, many times, and show from which turn success was lost',
    )
    .option(
      '--run <run>',
      'folder of the run that has the trajectory (default: the model, where it is a run)',
    )
    .option(
      '--turns <list>',
      'turns to continue from, such as 1,3,6; the first is 1, as in `show` (default: all)',
      parseTurns,
    )
    .option('--episodes <n>', 'continuations of each turn', parseCount('--episodes', 1), 32)
    .option(
      '--temperature <t>',
      'sampling temperature; 0 = greedy (default: rollout.temperature)',
      parseAmount('--temperature'),
    )
    .option('--config <file>', 'a configuration instead of that of the run')
    .option('--trajectories <folder>', 'where the trajectories are (default: in the run)')
    .option('--base <model>', 'what an adapter was trained on (default: what its run recorded)')
    .option('--set <path=value>', 'change an option of the configuration; repeatable', collect, [])
    .option('--json', 'print one JSON object; its turns count from 0, as in all JSON')
    .addHelpText(
      'after',
      examples(
        ['continue runs/lake-1 train/12/0/3', 'from each turn of it, by the newest checkpoint'],
        [
          'continue runs/lake-1@20 train/12/0/3 --turns 4,5 --episodes 128',
          'by the checkpoint of step 20, from two turns',
        ],
      ),
    )
    .action(async (model: string, id: string, options: ContinueOptions) => {
      const interrupt = createInterrupt(console, () => console.note('stopping …'));
      try {
        await continueFrom(model, id, options, console, interrupt.signal);
      } catch (error) {
        if (!interrupt.signal.aborted || !hasCode(error, 'rollout.cancelled', 'engine.cancelled'))
          throw error;
        throw new AppError('rollout.cancelled', `continue ${id}: stopped; nothing was measured`, {
          cause: error,
        });
      } finally {
        interrupt.dispose();
      }
    });
}

/** Turns as people count them, from 1. @returns from 0 @throws cli.usage */
export function parseTurns(text: string): number[] {
  const what = 'turns with commas, such as 1,3,6; the first turn is 1';
  const turns = parseCounts('--turns', what)(text).map((turn) => turn - 1);
  if (turns[0] === -1) throw new AppError('cli.usage', `--turns ${text}: expected ${what}`);
  return turns;
}

async function continueFrom(
  model: string,
  id: string,
  options: ContinueOptions,
  console: Console,
  signal: AbortSignal,
): Promise<void> {
  const { turns, episodes, temperature, json, config, set } = options;
  const run = options.run ?? runOf(model);
  const trajectory = findTrajectory(options.trajectories ?? trajectoriesFolder(run), id);
  const beyond = turns?.find((turn) => turn >= trajectory.turns.length);
  if (beyond !== undefined)
    throw new AppError(
      'cli.usage',
      `continue ${id}: it has no turn ${beyond + 1}; it has ${counted(trajectory.turns.length, 'turn')}`,
    );
  const { input, registry } = await openConfig(config ?? configOfRun(run), set, console);
  const named = parseModelName(model, registry);
  const base = options.base === undefined ? undefined : parseModelName(options.base, registry);
  const planned = await planRun(input, [], {
    registry,
    console,
    model: base === undefined ? named : ({ ...named, base } as FolderModel),
  });
  const { spec, model: opened } = planned;
  noteCorrupt(opened, console);
  await requireSamplingDevice(spec.device);
  const plugins = await isolateRun(spec, registry);
  const note = createProgressNote(console, 'continuing');
  try {
    const continued = await continueTrajectory({
      spec,
      registry: plugins,
      folder: opened.folder,
      base: opened.base,
      trajectory,
      turns,
      episodes,
      temperature,
      signal,
      onProgress: (done, total) => note(id, done, total),
    });
    if (json === true) return console.line(JSON.stringify({ model, ...continued, metrics: {} }));
    for (const line of linesOf(model, continued, trajectory)) console.line(line);
  } finally {
    await plugins.dispose();
  }
}

/** @throws cli.run_not_found naming what is stored; recorder.corrupt_log */
function findTrajectory(folder: string, id: string): StoredTrajectory {
  const step = Number(/^(?:train|validation|test)\/(\d+)\/\d+\/\d+$/.exec(id)?.[1] ?? Number.NaN);
  if (Number.isNaN(step))
    throw new AppError(
      'cli.usage',
      `continue ${id}: not the id of a trajectory; write split/step/group/index, such as train/12/0/3`,
    );
  const stored = readTrajectories(folder, { step });
  const found = stored.findLast((one) => one.id === id);
  if (found !== undefined) return found;
  const steps = listTrajectorySteps(folder);
  throw new AppError(
    'cli.run_not_found',
    stored.length > 0
      ? `continue ${id}: "${folder}" has no such trajectory of step ${step}; it has ${stored[0]?.id} to ${stored.at(-1)?.id}`
      : `continue ${id}: "${folder}" has no trajectories of step ${step}; ${steps.length === 0 ? 'it has none at all' : `there are steps ${steps[0]}..${steps.at(-1)}`}; name the run with --run`,
  );
}

export function linesOf(
  model: string,
  { continued, temperature }: ContinuedTrajectory,
  { id, success, turns: recorded }: StoredTrajectory,
): string[] {
  const head = `${id} ended ${success ? 'with' : 'without'} success; ${model} continues from its turns at temperature ${short(temperature)}`;
  const rows = continued.map(
    ({ turn, episodes, failed, successRate, successLow, successHigh, rewardMean }) => {
      const actions = recorded[turn]?.actions.map(({ text }) => text).join(', ') ?? '';
      const found =
        successRate === null
          ? 'no episode completed'
          : `success ${percentWithInterval(successRate, successLow ?? 0, successHigh ?? 0)} in ${counted(episodes, 'episode')}, mean reward ${short(rewardMean ?? 0)}`;
      const lost = failed === 0 ? '' : `, ${failed} failed`;
      return `turn ${turn + 1}: ${found}${lost}; it took ${actions === '' ? 'no action' : actions}`;
    },
  );
  const fall = findFall(continued);
  const last =
    fall === undefined
      ? 'no fall of success between turns that is larger than chance'
      : `success fell at turn ${fall.turn + 1}: from ${percent(fall.from)} to ${percent(fall.to)} after it`;
  return [head, ...rows, last];
}

import { AppError, type RunSpec, type Turn } from '@espalier/contracts';
import { describeModelChoice } from '@espalier/contracts/model-choice';
import { failureLabels } from '@espalier/contracts/failure-labels';
import { kitVersion } from '@espalier/plugin-kit';
import { readTrajectories, type StoredTrajectory, toAtif } from '@espalier/recorder';
import { type Command, Option } from 'commander';
import { basename, resolve } from 'node:path';
import { chooseTrajectories, describeMissing, type TrajectoryFilter } from '../local/choose-trajectories.js';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { healthLines, readChangedHealth, readHealth } from '../local/run-health.js';
import { openPictureFolder, openResultFolder } from '../local/picture-files.js';
import { parseCount } from '../parse-arguments.js';
import {
  findRecordedStep,
  findRunTokenizer,
  readRunSpec,
  trajectoriesFolder,
} from '../local/recorded-run.js';
import { plainTrajectory, trajectoryLines } from '../view/trajectory-text.js';
import { loadRegistry } from '../workspace.js';

interface ShowOptions extends TrajectoryFilter {
  readonly step?: number;
  readonly pictures?: string;
  readonly atif?: string;
  readonly json?: boolean;
}

/** Adds `espalier show`. */
export function addShowCommand(program: Command, context: CommandContext): void {
  program
    .command('show <run>')
    .description(
      'read what the agent did: prompt, replies, actions, rewards and score of stored trajectories',
    )
    .option('--step <n>', 'step of the run (default: the newest)', parseCount('--step', 0))
    .addOption(
      new Option('--split <split>', 'default: train, where the step has any').choices([
        'train',
        'validation',
      ]),
    )
    .option('--group <g>', 'only this group', parseCount('--group', 0))
    .option('--index <i>', 'only this trajectory of each group', parseCount('--index', 0))
    .option('--failed', 'only trajectories without success, errors included')
    .addOption(
      new Option('--label <label>', 'only trajectories with this failure label').choices(
        Object.keys(failureLabels),
      ),
    )
    .option('--tag <tag>', 'only this environment of a run in several')
    .option('--limit <n>', 'show at most this many (default: 8)', parseCount('--limit', 1))
    .option(
      '--pictures <folder>',
      'save the pictures that turns recorded (`rollout.images`) there as PNG files, and print their paths',
    )
    .option(
      '--atif <folder>',
      'save each trajectory there as a file of ATIF, the format of Harbor, with sampled ids and log-probabilities',
    )
    .option(
      '--json',
      'one object per line: the whole trajectory, tokens as numbers and each span as text, and the health of the run',
    )
    .addHelpText(
      'after',
      `\nWithout --group, --index, --failed, --label, --tag or --limit: the first success and the first failure of the step.\nTurns count from 1, as in \`continue\` and on the page; in --json from 0.\n` +
        examples(
          ['show runs/bandit-starpo-s-1', 'a success and a failure of the newest step'],
          ['show runs/sokoban-grpo-1 --step 12 --group 3', 'all trajectories of one initial state'],
          ['show runs/sokoban-grpo-1 --split validation --failed --limit 3', 'where validation still fails'],
          ['show runs/sokoban-grpo-1 --label dead-end', 'where a box got stuck'],
          ['show runs/sokoban-grpo-1 --failed --pictures pictures', 'with a picture of every turn'],
          ['show runs/sokoban-grpo-1 --limit 100000 --atif atif', 'a whole step, for tools that read ATIF'],
          ['show runs/sokoban-grpo-1 --limit 100000 --json > step.jsonl', 'a whole step, for a program'],
        ),
    )
    .action(async (run: string, options: ShowOptions) => show(run, options, context.console));
}

/** Saves the pictures of trajectories; returns their paths by turn. */
function savePictures(
  shown: readonly StoredTrajectory[],
  folder: string,
  run: string,
): ReadonlyMap<Turn, string> {
  const turns = shown.flatMap(({ id, turns }) =>
    turns.flatMap((turn) => (turn.image === undefined ? [] : [{ id, turn, image: turn.image }])),
  );
  if (turns.length === 0)
    throw new AppError(
      'cli.usage',
      `show ${run} --pictures: no turn has a picture; train with rollout.images: true, or leave the option out`,
    );
  const files = openPictureFolder(folder);
  return new Map(
    turns.map(({ id, turn, image }) => {
      const name = `${id.replaceAll('/', '-')}-turn-${turn.index + 1}`;
      return [turn, files.save(name, Buffer.from(image, 'base64'))];
    }),
  );
}

/** Writes trajectories as ATIF, one file each. */
function saveAtif(
  shown: readonly StoredTrajectory[],
  folder: string,
  { run, spec }: { readonly run: string; readonly spec: RunSpec },
  { json }: ShowOptions,
  console: Console,
): void {
  const files = openResultFolder(folder, 'save ATIF', 'json');
  const context = {
    version: kitVersion,
    model: describeModelChoice(spec.model),
    run: basename(resolve(run)),
  };
  for (const trajectory of shown) {
    const text = JSON.stringify(toAtif(trajectory, context), null, 1);
    const path = files.save(trajectory.id.replaceAll('/', '-'), Buffer.from(text));
    console.line(json === true ? JSON.stringify({ id: trajectory.id, path }) : path);
  }
}

async function show(run: string, options: ShowOptions, console: Console): Promise<void> {
  if (options.json === true && options.pictures !== undefined)
    throw new AppError(
      'cli.usage',
      'show --json --pictures: the objects hold the pictures (`turns[].image`); leave one of them out',
    );
  const spec = readRunSpec(run);
  const step = findRecordedStep(run, options.step);
  const all = readTrajectories(trajectoriesFolder(run), { step });
  const { shown, matching } = chooseTrajectories(all, options);
  const missing = matching === 0 ? describeMissing(all, options) : undefined;
  if (missing !== undefined)
    throw new AppError('cli.run_not_found', `show step ${step} of ${run}: ${missing}`);
  if (options.atif !== undefined) return saveAtif(shown, options.atif, { run, spec }, options, console);
  const pictures = options.pictures === undefined ? undefined : savePictures(shown, options.pictures, run);
  const tokenizer = await findRunTokenizer(run, spec, await loadRegistry(console), console);
  if (tokenizer === undefined)
    console.note('note: the tokenizer of this run is missing; the text of tokens is omitted');
  if (options.json === true) {
    const health = readHealth(run);
    for (const trajectory of shown)
      console.line(JSON.stringify({ ...plainTrajectory(trajectory, tokenizer), health }));
    return;
  }
  console.line(
    console.colors.dim(`step ${step} of ${run}: ${shown.length} of ${matching} matching trajectories`),
  );
  const [health] = healthLines(run, readChangedHealth(run));
  if (health !== undefined) console.line(console.colors.dim(health));
  for (const trajectory of shown) {
    console.line();
    for (const line of trajectoryLines(trajectory, { tokenizer, pictures }, console.colors))
      console.line(line);
  }
}

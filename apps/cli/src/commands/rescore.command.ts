import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ConfigInput, resolveRunSpec } from '@espalier/config';
import { AppError, type RunSpec } from '@espalier/contracts';
import { describeEnvironments } from '@espalier/contracts/mixing';
import { demandedParts } from '@espalier/contracts/prompt-format';
import { isRecord } from '@espalier/contracts/values';
import { createAppendFile, createFolder } from '@espalier/files';
import { loadTokenizer } from '@espalier/model';
import type { EvaluationResult } from '@espalier/protocol';
import { listTrajectorySteps, readTrajectories, type StoredTrajectory } from '@espalier/recorder';
import { bindReward, type BoundReward, isFailedEpisode } from '@espalier/rollout';
import { wilsonInterval } from '@espalier/rollout/estimates';
import { openEngine, paramsOf } from '@espalier/trainer';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { openNamedModel } from '../local/named-model.js';
import { openConfig } from '../local/open-config.js';
import { configOfRun, findRunTokenizer, readRunSpec, trajectoriesFolder } from '../local/recorded-run.js';
import { parseReward, rewardOption, stepsOption } from '../rescore/rescore-options.js';
import { createRewardComparison, type Rescored, rescoreRewards } from '../rescore/rescore-rewards.js';
import {
  createTokenComparison,
  describeTokens,
  type RescoredTokens,
  rescoreTokens,
} from '../rescore/rescore-tokens.js';
import { describeRescored } from '../view/evaluation-lines.js';
import { counted } from '../view/numbers.js';
import { createProgressNote } from '../view/progress-note.js';
import { loadRegistry, type Registry } from '../workspace.js';

interface RescoreOptions {
  readonly reward: readonly string[];
  readonly model?: string;
  readonly steps?: readonly number[];
  readonly trajectory?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** Adds `espalier rescore`. */
export function addRescoreCommand(program: Command, { console }: CommandContext): void {
  program
    .command('rescore <run>')
    .description(
      'give stored trajectories other rewards, or the log-probabilities of another checkpoint; the run stays as it is',
    )
    .addOption(rewardOption())
    .option('--model <model>', 'a checkpoint, run, folder or plugin that scores every sampled token')
    .addOption(stepsOption())
    .option('--trajectory <id>', 'only this one; with --json, --model gives each of its tokens a value')
    .option('--out <file>', 'write the scores of each trajectory there, a line of JSON each')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        [
          'rescore runs/sokoban-grpo-1 --reward faithfulness',
          'would this reward have told the members apart?',
        ],
        [
          'rescore runs/a-1 --reward environment-return --reward "{use: length, weight: 0.5}" --out scores.jsonl',
          'two rewards, each trajectory kept',
        ],
        ['rescore runs/a-1 --model runs/b-1', 'how far another policy is from this one, step by step'],
      ),
    )
    .action(async (run: string, options: RescoreOptions) => {
      const interrupt = createInterrupt(console, () => console.note('stopping; nothing is written'));
      try {
        await rescore(run, options, console, interrupt.signal);
      } catch (error) {
        if (!interrupt.signal.aborted) throw error;
        throw new AppError('rollout.cancelled', `rescore ${run}: stopped; nothing was written`, {
          cause: error,
        });
      } finally {
        interrupt.dispose();
      }
    });
}

async function rescore(
  run: string,
  { reward, model, steps, trajectory, out, json }: RescoreOptions,
  console: Console,
  signal: AbortSignal,
): Promise<void> {
  if (reward.length === 0 && model === undefined)
    throw new AppError('cli.usage', 'rescore: name a --reward, a --model, or both');
  if (out !== undefined && existsSync(out))
    throw new AppError('cli.unusable_folder', `rescore --out ${out}: it exists; name a new file`);
  const recorded = readRunSpec(run);
  // scoring tokens takes no plugins of the run
  const { registry } =
    reward.length === 0
      ? { registry: await loadRegistry(console) }
      : await openConfig(configOfRun(run), [], console);
  const rewards = reward.length === 0 ? undefined : resolveRewards(run, reward, registry);
  const chosen = chooseSteps(run, steps);
  const file = out === undefined ? undefined : createOutput(out);
  let scorer: Scorer | undefined;
  try {
    if (model !== undefined) scorer = await openScorer(model, { run, recorded, registry, console });
    const note = createProgressNote(console, 'rescoring');
    const onStep = (done: number): void => note(`steps of ${run}`, done, chosen.length);
    const parts = { run, recorded, rewards, model, trajectory, scorer, signal, onStep };
    const result = await rescoreSteps(chosen, parts, (line) => file?.append(`${line}\n`));
    file?.save();
    if (json === true) return console.line(JSON.stringify({ run, ...result }));
    const left = result.failed === 0 ? '' : `, ${result.failed} that failed left out`;
    console.line(`${counted(result.episodes, 'trajectory', 'trajectories')} of ${run}${left}`);
    for (const line of describeRescored(result)) console.line(line);
    if (out !== undefined) console.line(`wrote ${out}`);
  } catch (error) {
    file?.discard();
    throw error;
  } finally {
    file?.close();
    await scorer?.dispose();
  }
}

/** A file that is at its path only once it is whole. @throws recorder.write_failed when it is saved and a line could not be written */
function createOutput(path: string) {
  createFolder(dirname(path), `rescore --out ${path}`);
  const temporary = `${path}.${process.pid}.tmp`;
  const file = createAppendFile(temporary);
  return {
    append: (line: string): void => file.append(line),
    save(): void {
      file.sync();
      renameSync(temporary, path);
    },
    discard: (): void => rmSync(temporary, { force: true }),
    close: (): void => file.close(),
  };
}

interface RescoringParts {
  readonly run: string;
  readonly recorded: RunSpec;
  readonly rewards: readonly BoundReward[] | undefined;
  readonly model: string | undefined;
  readonly trajectory: string | undefined;
  readonly scorer: Scorer | undefined;
  readonly signal: AbortSignal;
  /** told how many steps are done */
  readonly onStep: (done: number) => void;
}

/**
 * Scores what did not fail, with the trajectories of one step in memory at a time. Its result is what is printed with
 * --json, in the form that evaluations have.
 *
 * @param onLine told of each trajectory in turn, as JSON
 * @throws cli.run_not_found where all failed; recorder.corrupt_log
 */
async function rescoreSteps(
  steps: readonly number[],
  { run, recorded, rewards, model, trajectory, scorer, signal, onStep }: RescoringParts,
  onLine: (line: string) => void,
): Promise<EvaluationResult> {
  const thinkParts = demandedParts(recorded.rollout.prompt);
  const comparison = createRewardComparison();
  const tokenComparison = createTokenComparison();
  let only: RescoredTokens | undefined;
  const counts = { episodes: 0, failed: 0, successes: 0 };
  for (const [done, step] of steps.entries()) {
    onStep(done);
    const all = readTrajectories(trajectoriesFolder(run), { step }).filter(
      ({ id }) => trajectory === undefined || id === trajectory,
    );
    const whole = all.filter((one) => !isFailedEpisode(one));
    // what others were compared with is scored and written, but is none of them
    const isCounted = ({ update }: StoredTrajectory): boolean =>
      trajectory !== undefined || !isGreedyBaseline(update);
    const counted = whole.filter(isCounted);
    counts.episodes += counted.length;
    counts.failed += all.length - whole.length;
    counts.successes += counted.filter(({ success }) => success).length;
    scorer?.checkVocabulary(whole);
    for (const stored of whole) {
      signal.throwIfAborted();
      const rescored =
        rewards === undefined ? undefined : await rescoreRewards(stored, rewards, { thinkParts, signal });
      const tokens = await scorer?.score(stored);
      if (rescored !== undefined) comparison.add(stored, rescored, isCounted(stored));
      if (tokens !== undefined && isCounted(stored)) tokenComparison.add(stored, tokens);
      if (trajectory !== undefined) only = tokens;
      onLine(toLine(stored, rescored, tokens));
    }
  }
  const { episodes, failed, successes } = counts;
  if (episodes === 0)
    throw new AppError(
      'cli.run_not_found',
      trajectory !== undefined && failed === 0
        ? `rescore --trajectory ${trajectory}: run ${run} has none of that id`
        : `rescore ${run}: all ${failed} trajectories failed`,
    );
  const { low, high } = wilsonInterval(successes, episodes);
  return {
    model: model ?? '',
    environment: describeEnvironments(recorded).slice(0, 200),
    episodes,
    failed,
    successRate: successes / episodes,
    successLow: low,
    successHigh: high,
    ...(rewards === undefined ? { metrics: {} } : comparison.result()),
    ...(scorer === undefined ? {} : { rescoredTokens: tokenComparison.result() }),
    ...(only === undefined ? {} : { rescoredTrajectory: describeTokens(only) }),
  };
}

/** Fills in the options of rewards as a run of this kind would. @throws plugin.not_found, config errors */
function resolveRewards(run: string, words: readonly string[], registry: Registry): BoundReward[] {
  const rewards = words.map((word) => parseReward(`rescore --reward ${word}`, word));
  // a filter may ask for certain rewards, but nothing is learned here
  const { filter: _filter, environments, ...value } = configOfRun(run).value;
  const tags = isRecord(environments) ? { environments: mapValues(environments, withoutSelection) } : {};
  const input: ConfigInput = {
    file: 'rescore --reward',
    value: { ...value, ...tags, rewards },
    origins: new Map(),
    positions: new Map(),
  };
  return resolveRunSpec(input, registry).spec.rewards.map((chosen) =>
    bindReward(registry.get('reward', chosen.use), paramsOf(chosen, 'weight'), chosen.weight),
  );
}

function withoutSelection(section: unknown): unknown {
  if (!isRecord(section)) return section;
  const { select: _select, ...rest } = section;
  return rest;
}

const mapValues = (map: Readonly<Record<string, unknown>>, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

/** The stored steps, or those of them that are named. @throws cli.run_not_found where there are none, or not all that are named */
function chooseSteps(run: string, wanted: readonly number[] | undefined): readonly number[] {
  const stored = listTrajectorySteps(trajectoriesFolder(run));
  if (stored.length === 0)
    throw new AppError('cli.run_not_found', `rescore ${run}: it has no trajectories; let it train a step`);
  const missing = wanted?.find((step) => !stored.includes(step));
  if (missing !== undefined)
    throw new AppError(
      'cli.run_not_found',
      `rescore --steps of ${run}: no trajectories of step ${missing}; there are ${stored[0]}..${stored.at(-1)}`,
    );
  return wanted ?? stored;
}

interface ScoringParts {
  readonly run: string;
  readonly recorded: RunSpec;
  readonly registry: Registry;
  readonly console: Console;
}

/** A model that scores the tokens of a run. */
interface Scorer {
  /** @throws cli.usage where a token is another word in the model */
  checkVocabulary(trajectories: readonly StoredTrajectory[]): void;
  score(stored: StoredTrajectory): Promise<RescoredTokens>;
  dispose(): Promise<void>;
}

/** Throws what opening the model does. */
async function openScorer(name: string, { run, recorded, registry, console }: ScoringParts): Promise<Scorer> {
  const opened = await openNamedModel('rescore', name, console);
  const own = await findRunTokenizer(run, recorded, registry, console);
  const other = loadTokenizer(opened.folder, { needsTemplate: false });
  const known = new Set<number>();
  const engine = await openEngine(opened.folder, recorded, opened.base);
  return {
    checkVocabulary(trajectories) {
      for (const { tokens } of trajectories)
        for (const id of tokens) {
          if (known.has(id)) continue;
          known.add(id);
          if (own === undefined || own.decode([id]) === other.decode([id])) continue;
          throw new AppError(
            'cli.usage',
            `rescore ${run} --model ${name}: token ${id} is ${JSON.stringify(own.decode([id]))} in the run and ${JSON.stringify(other.decode([id]))} in the model; name a model with the same vocabulary`,
          );
        }
    },
    score: (stored) => rescoreTokens(stored, engine, temperatureOf(recorded, stored)),
    dispose: () => engine.dispose(),
  };
}

const isGreedyBaseline = (update: StoredTrajectory['update']): boolean =>
  update?.outcome === 'greedy-baseline';

/** Greedy sampling stores log-probabilities at temperature 1. */
function temperatureOf({ rollout, validation }: RunSpec, { split, update }: StoredTrajectory): number {
  if (isGreedyBaseline(update)) return 1;
  const temperature = split === 'train' ? rollout.temperature : validation.temperature;
  return temperature > 0 ? temperature : 1;
}

function toLine(
  { id, step, score, update }: StoredTrajectory,
  rescored: Rescored | undefined,
  tokens: RescoredTokens | undefined,
): string {
  return JSON.stringify({
    id,
    step,
    total: score.total,
    ...(isGreedyBaseline(update) ? { greedyBaseline: true } : {}),
    ...(rescored === undefined ? {} : { rescored: rescored.score }),
    ...(tokens === undefined
      ? {}
      : {
          positions: [...tokens.positions],
          logprobs: [...tokens.logprobs],
          entropies: [...tokens.entropies],
        }),
  });
}

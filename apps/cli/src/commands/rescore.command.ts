import { existsSync } from 'node:fs';
import { applyOverrides, resolveRunSpec } from '@espalier/config';
import { AppError, type RunSpec } from '@espalier/contracts';
import { describeEnvironments } from '@espalier/contracts/mixing';
import { demandedParts } from '@espalier/contracts/prompt-format';
import { saveWholeFile } from '@espalier/files';
import { loadTokenizer } from '@espalier/model';
import type { EvaluationResult } from '@espalier/protocol';
import { listTrajectorySteps, readTrajectories, type StoredTrajectory } from '@espalier/recorder';
import { bindReward, type BoundReward } from '@espalier/rollout';
import { wilsonInterval } from '@espalier/rollout/estimates';
import { openEngine, paramsOf } from '@espalier/trainer';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { openNamedModel } from '../local/named-model.js';
import { configOfRun, findRunTokenizer, readRunSpec, trajectoriesFolder } from '../local/recorded-run.js';
import { parseCount } from '../parse-arguments.js';
import { parseReward, rewardOption } from '../rescore/reward-option.js';
import { meanMetrics, type Rescored, rescoreRewards, summarizeRewards } from '../rescore/rescore-rewards.js';
import { type RescoredTokens, rescoreTokens, summarizeTokens } from '../rescore/rescore-tokens.js';
import { describeRescored } from '../view/evaluation-lines.js';
import { loadRegistry, type Registry } from '../workspace.js';

interface RescoreOptions {
  readonly reward: readonly string[];
  readonly model?: string;
  readonly step?: number;
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
    .option('--step <n>', 'only this step (default: all that are stored)', parseCount('--step', 0))
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
  { reward, model, step, out, json }: RescoreOptions,
  console: Console,
  signal: AbortSignal,
): Promise<void> {
  if (reward.length === 0 && model === undefined)
    throw new AppError('cli.usage', 'rescore: name a --reward, a --model, or both');
  if (out !== undefined && existsSync(out))
    throw new AppError('cli.unusable_folder', `rescore --out ${out}: it exists; name a new file`);
  const recorded = readRunSpec(run);
  const registry = await loadRegistry(console);
  const rewards = reward.length === 0 ? undefined : resolveRewards(run, reward, registry);
  const { whole, failed } = readWhole(run, step);
  const rescored =
    rewards === undefined
      ? undefined
      : await rescoreRewards(whole, rewards, {
          thinkParts: demandedParts(recorded.rollout.prompt),
          signal,
        });
  const tokens =
    model === undefined
      ? undefined
      : await scoreUnder(model, { run, recorded, registry, console, signal }, whole);
  const result = summarize(model, recorded, { whole, failed, rescored, tokens });
  if (out !== undefined) saveWholeFile(out, writeLines(whole, rescored, tokens));
  if (json === true) return console.line(JSON.stringify({ run, ...result }));
  const left = failed === 0 ? '' : `, ${failed} that failed left out`;
  console.line(`${whole.length} trajectories of ${run}${left}`);
  for (const line of describeRescored(result)) console.line(line);
  if (out !== undefined) console.line(`wrote ${out}`);
}

interface Scored {
  readonly whole: readonly StoredTrajectory[];
  readonly failed: number;
  readonly rescored: readonly Rescored[] | undefined;
  readonly tokens: readonly WithTokens[] | undefined;
}

/** What is printed with --json, in the form that evaluations have. */
function summarize(
  model: string | undefined,
  spec: RunSpec,
  { whole, failed, rescored, tokens }: Scored,
): EvaluationResult {
  const successes = whole.filter(({ success }) => success).length;
  const { low, high } = wilsonInterval(successes, whole.length);
  return {
    model: model ?? '',
    environment: describeEnvironments(spec).slice(0, 200),
    episodes: whole.length,
    failed,
    successRate: successes / whole.length,
    successLow: low,
    successHigh: high,
    metrics: rescored === undefined ? {} : meanMetrics(rescored),
    ...(rescored === undefined
      ? {}
      : {
          rescoredRewards: summarizeRewards(rescored),
          rescoredTotals: rescored.map(({ stored, score }) => ({
            trajectory: stored.id,
            stored: stored.score.total,
            rescored: score.total,
          })),
        }),
    ...(tokens === undefined ? {} : { rescoredTokens: summarizeTokens(tokens) }),
  };
}

/** Fills in the options of rewards as a run of this kind would. @throws plugin.not_found, config errors */
function resolveRewards(run: string, words: readonly string[], registry: Registry): BoundReward[] {
  const entries = words.map((word) => parseReward(`rescore --reward ${word}`, word));
  const input = applyOverrides(configOfRun(run), [`rewards=${JSON.stringify(entries)}`]);
  return resolveRunSpec(input, registry).spec.rewards.map((chosen) =>
    bindReward(registry.get('reward', chosen.use), paramsOf(chosen, 'weight'), chosen.weight),
  );
}

/** Reads what did not fail. @throws cli.run_not_found where nothing is stored; recorder.corrupt_log */
function readWhole(run: string, step: number | undefined): { whole: StoredTrajectory[]; failed: number } {
  const folder = trajectoriesFolder(run);
  const stored = listTrajectorySteps(folder);
  const steps = stored.filter((one) => step === undefined || one === step);
  if (steps.length === 0)
    throw new AppError(
      'cli.run_not_found',
      stored.length === 0
        ? `rescore ${run}: it has no trajectories; let it train a step`
        : `rescore --step ${step} of ${run}: no trajectories of that step; there are ${stored[0]}..${stored.at(-1)}`,
    );
  const all = steps.flatMap((one) => readTrajectories(folder, { step: one }));
  const whole = all.filter(({ stopReason }) => stopReason !== 'error');
  if (whole.length === 0)
    throw new AppError('cli.run_not_found', `rescore ${run}: all ${all.length} trajectories failed`);
  return { whole, failed: all.length - whole.length };
}

interface ScoringParts {
  readonly run: string;
  readonly recorded: RunSpec;
  readonly registry: Registry;
  readonly console: Console;
  readonly signal: AbortSignal;
}

type WithTokens = { readonly stored: StoredTrajectory; readonly tokens: RescoredTokens };

/** @throws cli.usage where the model has another vocabulary, and what opening it throws */
async function scoreUnder(
  name: string,
  { run, recorded, registry, console, signal }: ScoringParts,
  trajectories: readonly StoredTrajectory[],
): Promise<WithTokens[]> {
  const opened = await openNamedModel('rescore', name, console);
  const own = await findRunTokenizer(run, recorded, registry, console);
  const other = loadTokenizer(opened.folder, { needsTemplate: false });
  const used = [...new Set(trajectories.flatMap(({ tokens }) => [...tokens]))];
  const differs = used.find((id) => own !== undefined && own.decode([id]) !== other.decode([id]));
  if (differs !== undefined)
    throw new AppError(
      'cli.usage',
      `rescore ${run} --model ${name}: token ${differs} is ${JSON.stringify(own?.decode([differs]))} in the run and ${JSON.stringify(other.decode([differs]))} in the model; name a model with the same vocabulary`,
    );
  const engine = await openEngine(opened.folder, recorded, opened.base);
  try {
    const scored: WithTokens[] = [];
    for (const stored of trajectories) {
      signal.throwIfAborted();
      scored.push({ stored, tokens: await rescoreTokens(stored, engine, temperatureOf(recorded, stored)) });
    }
    return scored;
  } finally {
    await engine.dispose();
  }
}

/** Greedy sampling stores log-probabilities at temperature 1. */
function temperatureOf({ rollout, validation }: RunSpec, { split }: StoredTrajectory): number {
  const temperature = split === 'train' ? rollout.temperature : validation.temperature;
  return temperature > 0 ? temperature : 1;
}

function writeLines(
  whole: readonly StoredTrajectory[],
  rescored: readonly Rescored[] | undefined,
  scored: readonly WithTokens[] | undefined,
): string {
  const lines = whole.map(({ id, step, score }, index) => {
    const tokens = scored?.[index]?.tokens;
    return JSON.stringify({
      id,
      step,
      total: score.total,
      ...(rescored === undefined ? {} : { rescored: rescored[index]?.score }),
      ...(tokens === undefined
        ? {}
        : {
            positions: [...tokens.positions],
            logprobs: [...tokens.logprobs],
            entropies: [...tokens.entropies],
          }),
    });
  });
  return `${lines.join('\n')}\n`;
}

/** @file Records of another program as the folder of a run: its spec, and a trajectory for each episode, all of step 0. */
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { AppError, type RunSpec, runLayout, type Tokenizer, type Trajectory } from '@espalier/contracts';
import { joinRecorded } from '@espalier/endpoint';
import {
  createEventLogSink,
  createMetricSink,
  createTeeSink,
  createTrajectorySink,
} from '@espalier/recorder';
import { beginAttempt } from '@espalier/trainer/attempts';
import type { RecordedEpisode } from './recorded-episode.js';
import { readVerifiersLine } from './read-verifiers.js';

export interface ImportTracesOptions {
  readonly spec: RunSpec;
  readonly tokenizer: Tokenizer;
  /** an episode is a success from this sum of rewards on */
  readonly successReward: number;
  /** what happens to lines that cannot be read */
  readonly invalid: 'refuse' | 'skip';
  readonly onLine?: (lines: number) => void;
}

export interface ImportedTraces {
  readonly episodes: number;
  readonly tasks: number;
  readonly successes: number;
  readonly meanReward: number;
  /** sampled tokens, and those whose log-probability was recorded */
  readonly tokens: number;
  readonly knownLogprobs: number;
  readonly skipped: readonly { readonly line: number; readonly finding: string }[];
}

/**
 * Reads a file and writes a run folder, whole or not at all.
 *
 * @throws cli.run_exists; cli.invalid_record; cli.unusable_folder
 */
export async function importTraces(
  file: string,
  folder: string,
  options: ImportTracesOptions,
): Promise<ImportedTraces> {
  if (existsSync(folder))
    throw new AppError('cli.run_exists', `import ${file}: ${folder} exists; name another folder with --out`);
  if (!existsSync(file))
    throw new AppError('cli.unusable_folder', `import ${file}: there is no such file; name one of verifiers`);
  mkdirSync(dirname(resolve(folder)), { recursive: true });
  const partial = mkdtempSync(`${resolve(folder)}.partial-`);
  try {
    const imported = await writeRun(file, partial, basename(resolve(folder)), options);
    renameSync(partial, resolve(folder));
    return imported;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

async function writeRun(
  file: string,
  folder: string,
  runId: string,
  options: ImportTracesOptions,
): Promise<ImportedTraces> {
  const { spec, tokenizer, invalid } = options;
  const attempt = beginAttempt(folder, spec);
  const metrics = createMetricSink(join(folder, runLayout.metrics));
  const log = createEventLogSink(join(folder, runLayout.events));
  const sink = createTeeSink(metrics, createTrajectorySink(join(folder, runLayout.trajectories)), log);
  sink.emit({ kind: 'run-started', time: Date.now(), runId, attempt, step: 0, steps: spec.steps });
  const tally = new Tally();
  const skipped: { line: number; finding: string }[] = [];
  let line = 0;
  for await (const text of linesOf(file)) {
    line += 1;
    if (text.trim() === '') continue;
    try {
      const trajectories = readVerifiersLine(text).map((episode) =>
        toTrajectory(episode, tally, tokenizer, options),
      );
      for (const trajectory of trajectories)
        sink.emit({ kind: 'trajectory', time: Date.now(), step: 0, trajectory, kept: true });
    } catch (cause) {
      const finding = (cause as Error).message;
      if (invalid === 'refuse')
        throw new AppError(
          'cli.invalid_record',
          `import ${file}: line ${line}: ${finding}; mend it, or leave such lines out with --invalid skip`,
          { cause },
        );
      skipped.push({ line, finding });
    }
    options.onLine?.(line);
  }
  const { episodes, successes, meanReward } = tally;
  if (episodes === 0)
    throw new AppError(
      'cli.invalid_record',
      `import ${file}: it has no episode that can be read; name a file of verifiers`,
    );
  const values = {
    'validation/success_rate': successes / episodes,
    'validation/environment_return': meanReward,
  };
  sink.emit({ kind: 'metrics', time: Date.now(), step: 0, values });
  sink.emit({
    kind: 'run-ended',
    time: Date.now(),
    step: 0,
    outcome: 'finished',
    message: `imported from ${basename(file)}`,
  });
  await sink.flush();
  metrics.close();
  log.close();
  return {
    episodes,
    tasks: tally.groups.size,
    successes,
    meanReward,
    tokens: tally.tokens,
    knownLogprobs: tally.known,
    skipped,
  };
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const raw = createReadStream(file);
  const input = file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw;
  raw.once('error', (error) => input.destroy(error));
  yield* createInterface({ input, crlfDelay: Infinity });
}

/** Counts over a file. */
class Tally {
  /** task → how many episodes of it */
  readonly groups = new Map<string, { readonly group: number; count: number }>();
  episodes = 0;
  successes = 0;
  tokens = 0;
  known = 0;
  #rewards = 0;

  get meanReward(): number {
    return this.#rewards / this.episodes;
  }

  place(task: string): { readonly group: number; readonly index: number } {
    const known = this.groups.get(task) ?? { group: this.groups.size, count: 0 };
    this.groups.set(task, known);
    return { group: known.group, index: known.count++ };
  }

  add({ success, score, turns, logprobs }: Trajectory): void {
    this.episodes += 1;
    this.successes += success ? 1 : 0;
    this.#rewards += score.total;
    for (const { sampled } of turns) {
      this.tokens += sampled.end - sampled.start;
      this.known += logprobs
        .subarray(sampled.start, sampled.end)
        .filter((value) => !Number.isNaN(value)).length;
    }
  }
}

function toTrajectory(
  episode: RecordedEpisode,
  tally: Tally,
  tokenizer: Tokenizer,
  { successReward }: ImportTracesOptions,
): Trajectory {
  const { rewards, metrics, error, totalMs, replies, task } = episode;
  const total = Object.values(rewards).reduce((sum, { value, weight }) => sum + value * weight, 0);
  const stopReason = error !== undefined ? 'error' : total >= successReward ? 'success' : 'failure';
  const seed = tally.groups.get(task)?.group ?? tally.groups.size;
  const unplaced = joinRecorded(
    tokenizer,
    replies,
    {
      environment: episode.environment,
      split: 'validation',
      step: 0,
      group: 0,
      index: 0,
      seeds: { state: seed, noise: 0, sampling: 0 },
    },
    { stopReason, reward: total, metrics, error, totalMs },
  );
  // placed once it is known that it can be read
  const { group, index } = tally.place(task);
  const perTurn = unplaced.turns.map((_, at, turns) => (at === turns.length - 1 ? total : 0));
  const trajectory: Trajectory = {
    ...unplaced,
    id: `validation/0/${group}/${index}`,
    group,
    index,
    score: { environment: total, formatPenalty: 0, rewards, perTurn, total },
  };
  tally.add(trajectory);
  return trajectory;
}

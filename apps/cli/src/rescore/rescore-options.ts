/** @file Rewards and steps as the command line names them, for `rescore` and `run rescore`. */
import { AppError } from '@espalier/contracts';
import { Option } from 'commander';
import { parse } from 'yaml';
import { collect, parseCounts } from '../parse-arguments.js';

/** `--reward`, for each that scores stored trajectories. */
export const rewardOption = (): Option =>
  new Option(
    '--reward <reward>',
    'id of a reward, or its entry as in a run: "{use: length, weight: 0.5}"; repeatable',
  )
    .argParser(collect)
    .default([]);

/** `--steps`, of which stored trajectories are scored. */
export const stepsOption = (): Option =>
  new Option('--steps <list>', 'only these steps, such as 0,10,20 (default: all that are stored)').argParser(
    parseCounts('--steps', 'steps with commas, such as 0,10,20'),
  );

/** Reads the id of a reward, or its entry as in a run. @param where what is said before an error @throws cli.usage */
export function parseReward(where: string, word: string): Record<string, unknown> {
  if (!word.trimStart().startsWith('{')) return { use: word };
  try {
    return parse(word) as Record<string, unknown>;
  } catch (cause) {
    throw new AppError('cli.usage', `${where}: not YAML; write an id, or "{use: length, weight: 0.5}"`, {
      cause,
    });
  }
}

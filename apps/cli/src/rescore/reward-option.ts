/** @file Rewards as a command line names them. */
import { AppError } from '@espalier/contracts';
import { Option } from 'commander';
import { parse } from 'yaml';
import { collect } from '../parse-arguments.js';

/** `--reward`, for each that scores stored trajectories. */
export const rewardOption = (): Option =>
  new Option(
    '--reward <reward>',
    'id of a reward, or its entry as in a run: "{use: length, weight: 0.5}"; repeatable',
  )
    .argParser(collect)
    .default([]);

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

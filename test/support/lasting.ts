/** @file What of a run on the command line has to be the same once it has been broken off and has gone on. */
import { join } from 'node:path';
import { isRepeatable } from '@espalier/contracts/metric';
import { readMetrics } from '@espalier/recorder';
import type { CliOptions } from './run-cli.js';

/** The metrics of a run's folder, without what the clock says. */
export const lastingRows = (run: string) =>
  readMetrics(join(run, 'metrics.jsonl')).map(({ step, values }) => ({
    step,
    values: Object.entries(values).filter(([name]) => isRepeatable(name)),
  }));

/** For `runCli` with `--json`: calls back once, when the checkpoint of a step is there. */
export function afterCheckpoint(
  step: number,
  change: (kill: (signal: NodeJS.Signals) => void) => void,
): NonNullable<CliOptions['onOutput']> {
  const saved = new RegExp(`"kind":"checkpoint".*"step":${step}\\b`);
  let isDone = false;
  return (stdout, kill) => {
    if (isDone || !saved.test(stdout)) return;
    isDone = true;
    change(kill);
  };
}

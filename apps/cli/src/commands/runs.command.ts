import { existsSync } from 'node:fs';
import { AppError } from '@espalier/contracts';
import { describeAlgorithms, describeEnvironments } from '@espalier/contracts/mixing';
import type { HealthSummary } from '@espalier/contracts/health';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { listLocalRuns, readLocalRun } from '../local/local-runs.js';
import { isRunFolder } from '../local/recorded-run.js';
import { isUnjudged, readHealth, unjudged } from '../local/run-health.js';
import { percent } from '../view/numbers.js';

const healthWords = (health: HealthSummary): string[] =>
  isUnjudged(health) ? [unjudged] : health.state === 'healthy' ? [] : [health.state];

/** Adds `espalier runs`. */
export function addRunsCommand(program: Command, { console }: CommandContext): void {
  program
    .command('runs [folder]')
    .description('list the runs of this machine; those of a server: espalier run list')
    .option('--json', 'one object per line')
    .addHelpText(
      'after',
      examples(
        ['runs', 'those in runs/'],
        ['runs runs/results/sokoban-ppo', 'of another folder; the folder of one run lists it alone'],
      ),
    )
    .action((folder: string | undefined, { json }: { json?: boolean }) => {
      if (folder !== undefined && !existsSync(folder))
        throw new AppError(
          'cli.run_not_found',
          `list the runs of ${folder}: there is no such folder; name another, or leave it out for those in runs/`,
        );
      const runs =
        folder !== undefined && isRunFolder(folder)
          ? [readLocalRun(folder)]
          : listLocalRuns(folder ?? 'runs', ({ message }) => console.note(`note: ${message}`));
      if (runs.length === 0 && json !== true) console.note(`note: no runs in ${folder ?? 'runs'}`);
      for (const { folder: path, spec, step, state, success, validation } of runs) {
        const { steps, seed } = spec;
        const environment = describeEnvironments(spec);
        const algorithm = describeAlgorithms(spec);
        const health = readHealth(path);
        if (json === true) {
          const chosen = { environment, algorithm, seed };
          console.line(
            JSON.stringify({ folder: path, ...chosen, step, steps, state, health, success, validation }),
          );
          continue;
        }
        const parts = [
          path.padEnd(36),
          `${environment} · ${algorithm}`.padEnd(26),
          `step ${step}/${steps}`.padEnd(14),
          state.padEnd(12),
          `success ${percent(success)}`,
          `validation ${percent(validation)}`,
          ...(health === undefined ? [] : healthWords(health)),
        ];
        console.line(parts.join(' '));
      }
    });
}

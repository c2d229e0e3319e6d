import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { exitCodes } from '../exit-codes.js';
import { parseCount, parseDuration, parseParams } from '../parse-arguments.js';
import { checkPlugin, type CheckReport } from '../local/check/check-plugin.js';

interface CheckOptions {
  readonly params: Record<string, unknown>;
  readonly only?: string;
  readonly episodes: number;
  readonly limit: number;
  readonly json?: true;
}

/** The conformance suite may take this many times as long as one call. */
const callsPerSuite = 12;

/** Adds `espalier plugin check`. */
export function addPluginCheck(plugin: Command, { console, finish }: CommandContext): void {
  plugin
    .command('check')
    .description(
      'build a plugin, run the conformance suite, and see whether its rewards can be had without solving the task',
    )
    .argument('[folder]', 'folder of the plugin', '.')
    .option('--params <json>', 'options of the plugin', parseParams, {})
    .option('--only <id>', 'one definition of a package with several')
    .option('--episodes <n>', 'states that each policy plays', parseCount('--episodes', 8), 32)
    .option('--limit <duration>', 'time that one call may take', parseDuration('--limit'), 10)
    .option('--json', 'the findings as JSON')
    .addHelpText('after', examples(['plugin check', 'what to mend, in the folder of the plugin']))
    .action(async (folder: string, { limit, json, ...options }: CheckOptions) => {
      const limits = { callLimitMs: limit * 1000, suiteLimitMs: limit * callsPerSuite * 1000 };
      const report = await checkPlugin({ folder, ...options, ...limits });
      const isGood = report.findings.every(({ level }) => level === 'note');
      if (json === true) console.line(JSON.stringify({ folder, ok: isGood, ...report }));
      else print(report, isGood, console);
      if (!isGood) finish(exitCodes.failed);
    });
}

function print({ plugins, passed, findings }: CheckReport, isGood: boolean, console: Console): void {
  for (const { level, check, finding, remedy } of findings) {
    console.line(`${level} ${check}: ${finding}`);
    console.line(`  ${remedy}`);
  }
  const names = plugins.map(({ kind, id }) => `${kind} ${id}`).join(', ');
  const count = findings.filter(({ level }) => level === 'problem').length;
  console.line(
    isGood
      ? `${names}: good, ${passed} conformance tests passed`
      : `${count} ${count === 1 ? 'problem' : 'problems'}`,
  );
}

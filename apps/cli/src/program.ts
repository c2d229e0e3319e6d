import { readFileSync } from 'node:fs';
import { Command, Help, type Option } from 'commander';
import type { CommandContext } from './command-context.js';
import { exitCodeMeanings } from './exit-codes.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

type AddCommand = (program: Command, context: CommandContext) => void;

/** The commands, in the order of the help. Each is loaded when it is called, so that a server never loads the runtime. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  train: async () => (await import('./commands/train.command.js')).addTrainCommand,
  sweep: async () => (await import('./commands/sweep.command.js')).addSweepCommand,
  eval: async () => (await import('./commands/eval.command.js')).addEvalCommand,
  show: async () => (await import('./commands/show.command.js')).addShowCommand,
  plan: async () => (await import('./commands/plan.command.js')).addPlanCommand,
  prompt: async () => (await import('./commands/prompt.command.js')).addPromptCommand,
  'warm-start': async () => (await import('./commands/warm-start.command.js')).addWarmStartCommand,
  model: async () => (await import('./commands/model.command.js')).addModelCommand,
  play: async () => (await import('./commands/play.command.js')).addPlayCommand,
  env: async () => (await import('./commands/env-show.command.js')).addEnvCommand,
  plugin: async () => (await import('./commands/plugin.command.js')).addPluginCommand,
  runs: async () => (await import('./commands/runs.command.js')).addRunsCommand,
  view: async () => (await import('./commands/view.command.js')).addViewCommand,
  compare: async () => (await import('./commands/compare.command.js')).addCompareCommand,
  track: async () => (await import('./commands/track.command.js')).addTrackCommand,
  continue: async () => (await import('./commands/continue.command.js')).addContinueCommand,
  import: async () => (await import('./commands/import.command.js')).addImportCommand,
  rescore: async () => (await import('./commands/rescore.command.js')).addRescoreCommand,
  theory: async () => (await import('./commands/theory.command.js')).addTheoryCommand,
  report: async () => (await import('./commands/report.command.js')).addReportCommand,
  setup: async () => (await import('./commands/setup.command.js')).addSetupCommand,
  doctor: async () => (await import('./commands/doctor.command.js')).addDoctorCommand,
  completion: async () => {
    const { addCompletionCommand } = await import('./commands/completion.command.js');
    // only this command is loaded, but the script needs all of them
    return (program, context) => addCompletionCommand(program, context, () => createProgram(context));
  },
  plugins: async () => (await import('./commands/plugins.command.js')).addPluginsCommand,
  up: async () => (await import('./commands/up.command.js')).addUpCommand,
  serve: async () => (await import('./commands/serve.command.js')).addServeCommand,
  backup: async () => (await import('./commands/backup.command.js')).addBackupCommand,
  restore: async () => (await import('./commands/backup.command.js')).addRestoreCommand,
  engine: async () => (await import('./commands/engine.command.js')).addEngineCommand,
  worker: async () => (await import('./commands/worker.command.js')).addWorkerCommand,
  launcher: async () => (await import('./commands/launcher.command.js')).addLauncherCommand,
  webhook: async () => (await import('./commands/webhook.command.js')).addWebhookCommand,
  run: async () => (await import('./commands/run.command.js')).addRunCommand,
  alerts: async () => (await import('./commands/alerts.command.js')).addAlertsCommand,
  rating: async () => (await import('./commands/rating.command.js')).addRatingCommand,
  key: async () => (await import('./commands/key.command.js')).addKeyCommand,
  export: async () => (await import('./commands/export.command.js')).addExportCommand,
};

/**
 * Builds the command line; `finish` receives exit codes other than 0.
 *
 * @param called first word behind `espalier`; when it is a command, only that one is loaded, and for the version none
 */
export async function createProgram(context: CommandContext, called?: string): Promise<Command> {
  const program = new Command('espalier')
    .description('Trains language-model agents with multi-turn reinforcement learning.')
    .configureOutput({
      writeOut: (text) => context.console.write(text),
      writeErr: (text) => context.console.note(text.trimEnd()),
      outputError: () => undefined, // print-error.ts says it
    })
    .configureHelp({ optionDescription })
    .version(version)
    .exitOverride();
  const loaders = Object.entries(commands);
  const wanted = loaders.filter(([name]) => name === called);
  const isVersion = called === '--version' || called === '-V';
  for (const [, load] of wanted.length > 0 || isVersion ? wanted : loaders) (await load())(program, context);
  program.addHelpText('after', `\nExit codes:\n${exitCodeText()}`);
  return program;
}

/** As usual, except that nothing is no default worth telling. */
function optionDescription(option: Option): string {
  const value: unknown = option.defaultValue;
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  const shown = isEmpty
    ? Object.assign(Object.create(option) as Option, { defaultValue: undefined })
    : option;
  return new Help().optionDescription(shown);
}

function exitCodeText(): string {
  return exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(2)}  ${meaning}\n`).join('');
}

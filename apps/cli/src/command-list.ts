/** @file The commands of `espalier`, by the headings of its help and in its order. */
import type { Command } from 'commander';
import type { CommandContext } from './command-context.js';

type AddCommand = (program: Command, context: CommandContext) => void;

export interface CommandEntry {
  /** what the list of commands says; the command's own help has more */
  readonly summary: string;
  readonly load: () => Promise<AddCommand>;
}

/** Heading → name → command. A command is loaded when it is called, so that a server never loads the runtime. */
export const commands: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  'Train:': {
    plan: {
      summary: 'show what a run will do, where each value comes from, and what it costs',
      load: async () => (await import('./commands/plan.command.js')).addPlanCommand,
    },
    prompt: {
      summary: 'show what the model of a run reads, in tokens and text',
      load: async () => (await import('./commands/prompt.command.js')).addPromptCommand,
    },
    train: {
      summary: 'train an agent',
      load: async () => (await import('./commands/train.command.js')).addTrainCommand,
    },
    sweep: {
      summary: 'train a family of runs: variants or a grid of options, several seeds',
      load: async () => (await import('./commands/sweep.command.js')).addSweepCommand,
    },
    'warm-start': {
      summary: 'teach a model the form of a reply by imitation',
      load: async () => (await import('./commands/warm-start.command.js')).addWarmStartCommand,
    },
  },
  'Runs of this machine:': {
    runs: {
      summary: 'list the runs of this machine',
      load: async () => (await import('./commands/runs.command.js')).addRunsCommand,
    },
    show: {
      summary: 'read what the agent saw, wrote and did',
      load: async () => (await import('./commands/show.command.js')).addShowCommand,
    },
    view: {
      summary: 'open run folders in the browser',
      load: async () => (await import('./commands/view.command.js')).addViewCommand,
    },
    compare: {
      summary: 'put runs side by side: options, curves, tests, costs',
      load: async () => (await import('./commands/compare.command.js')).addCompareCommand,
    },
    eval: {
      summary: 'measure models, checkpoints, runs and agents behind an API',
      load: async () => (await import('./commands/eval.command.js')).addEvalCommand,
    },
    report: {
      summary: 'report on sweeps and runs, every number with its source',
      load: async () => (await import('./commands/report.command.js')).addReportCommand,
    },
    continue: {
      summary: 'continue a stored trajectory many times, to see where success was lost',
      load: async () => (await import('./commands/continue.command.js')).addContinueCommand,
    },
    rescore: {
      summary: 'give stored trajectories other rewards or log-probabilities',
      load: async () => (await import('./commands/rescore.command.js')).addRescoreCommand,
    },
    track: {
      summary: 'send recorded runs to an experiment tracker',
      load: async () => (await import('./commands/track.command.js')).addTrackCommand,
    },
    import: {
      summary: 'make a run of results that verifiers saved',
      load: async () => (await import('./commands/import.command.js')).addImportCommand,
    },
  },
  'Models, environments and plugins:': {
    model: {
      summary: 'download, import, look at, talk to, serve and export models',
      load: async () => (await import('./commands/model.command.js')).addModelCommand,
    },
    env: {
      summary: 'look at environments, and serve them',
      load: async () => (await import('./commands/env-show.command.js')).addEnvCommand,
    },
    play: {
      summary: 'play an environment in the terminal',
      load: async () => (await import('./commands/play.command.js')).addPlayCommand,
    },
    plugin: {
      summary: 'write, check and try a plugin of your own',
      load: async () => (await import('./commands/plugin.command.js')).addPluginCommand,
    },
    plugins: {
      summary: 'list what is installed, and what is broken',
      load: async () => (await import('./commands/plugins.command.js')).addPluginsCommand,
    },
  },
  'A server and its workers:': {
    up: {
      summary: 'start a server and a worker: all that one machine needs',
      load: async () => (await import('./commands/up.command.js')).addUpCommand,
    },
    serve: {
      summary: 'start a server: runs over GraphQL, REST and sockets',
      load: async () => (await import('./commands/serve.command.js')).addServeCommand,
    },
    worker: {
      summary: 'run the jobs of a server on this machine',
      load: async () => (await import('./commands/worker.command.js')).addWorkerCommand,
    },
    launcher: {
      summary: 'start workers when jobs wait: processes, SSH, Slurm, Kubernetes',
      load: async () => (await import('./commands/launcher.command.js')).addLauncherCommand,
    },
    engine: {
      summary: 'serve models to training in other processes (Tinker API)',
      load: async () => (await import('./commands/engine.command.js')).addEngineCommand,
    },
    key: {
      summary: 'create, list and revoke API keys',
      load: async () => (await import('./commands/key.command.js')).addKeyCommand,
    },
    webhook: {
      summary: 'tell other programs of alerts',
      load: async () => (await import('./commands/webhook.command.js')).addWebhookCommand,
    },
    backup: {
      summary: 'back up the data of a server',
      load: async () => (await import('./commands/backup.command.js')).addBackupCommand,
    },
    restore: {
      summary: 'restore a backup to a new folder',
      load: async () => (await import('./commands/backup.command.js')).addRestoreCommand,
    },
  },
  'Runs of a server:': {
    run: {
      summary: 'start, steer and watch runs',
      load: async () => (await import('./commands/run.command.js')).addRunCommand,
    },
    alerts: {
      summary: 'list, acknowledge and assign alerts',
      load: async () => (await import('./commands/alerts.command.js')).addAlertsCommand,
    },
    rating: {
      summary: 'rate trajectories blind',
      load: async () => (await import('./commands/rating.command.js')).addRatingCommand,
    },
    export: {
      summary: 'write everything a server has about a run to a folder',
      load: async () => (await import('./commands/export.command.js')).addExportCommand,
    },
  },
  'This machine:': {
    doctor: {
      summary: 'check whether this machine can train',
      load: async () => (await import('./commands/doctor.command.js')).addDoctorCommand,
    },
    setup: {
      summary: 'fetch the native library of a driver',
      load: async () => (await import('./commands/setup.command.js')).addSetupCommand,
    },
    theory: {
      summary: 'compute how training collapses in toy problems',
      load: async () => (await import('./commands/theory.command.js')).addTheoryCommand,
    },
    completion: {
      summary: 'print a completion script for a shell',
      load: async () => (await import('./commands/completion.command.js')).addCompletionCommand,
    },
  },
};

import { appendFileSync, existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, runLayout, type Trajectory } from '@espalier/contracts';
import { type AnsweringPolicy, type Endpoint, openEndpoint, type Session } from '@espalier/endpoint';
import { createEmbeddedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import { encodeTrajectory } from '@espalier/recorder';
import { type BoundReward, scoreTrajectory } from '@espalier/rollout';
import { checkpointsFolder, listCheckpoints } from '@espalier/trainer/run-folder';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { followCheckpoints } from '../local/follow-checkpoints.js';
import { openNamedModel, readingModel } from '../local/named-model.js';
import { parseCount, parseDuration, parseInteger, parseSeed } from '../parse-arguments.js';
import { untilStopped } from '../remote/stop-request.js';

interface ServeModelOptions {
  readonly host: string;
  readonly port: number;
  readonly apiKey?: string;
  readonly name?: string;
  readonly maxSessions: number;
  readonly idle: number;
  readonly endIdle?: number;
  readonly trajectories?: string;
  readonly seed: number;
  readonly threads?: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Adds `espalier model serve`. */
export function addModelServe(model: Command, { console }: CommandContext): void {
  model
    .command('serve <model>')
    .description(
      'offer a model over HTTP as OpenAI and Anthropic offer theirs, and capture what agents sample',
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0: any free one', parseInteger('--port', 0, 65535), 4600)
    .addOption(
      new Option('--api-key <key>', 'key that clients must send; needed beyond 127.0.0.1').env(
        'ESPALIER_ENDPOINT_KEY',
      ),
    )
    .option('--name <name>', 'name of the model in answers (default: that of its folder)')
    .option('--max-sessions <n>', 'most open sessions', parseCount('--max-sessions', 1), 1024)
    .option(
      '--idle <duration>',
      'a session without a call for so long is ended',
      parseDuration('--idle'),
      600,
    )
    .option(
      '--end-idle <duration>',
      'end when nobody has called for so long (default: never)',
      parseDuration('--end-idle'),
    )
    .option('--trajectories <file>', 'append the trajectory of each session that gets a reward')
    .option('--seed <n>', 'seed of what is sampled in sessions', parseSeed, 0)
    .option('--threads <n>', 'threads of the model', parseCount('--threads', 1))
    .option('--follow', 'of a run: go over to each newer checkpoint as soon as it is there')
    .option('--json', 'print one line of JSON when it is ready, and one for each checkpoint that follows')
    .addHelpText(
      'after',
      `\nIn front of /v1 may stand /sessions/NAME: such calls are captured until a reward is posted.\n` +
        examples(
          ['model serve seedling', 'on http://127.0.0.1:4600/v1'],
          [
            'model serve runs/bandit-starpo-s-1@20 --port 0 --json',
            'a checkpoint of a run, on any free port',
          ],
          ['model serve seedling --trajectories sessions.jsonl', 'with what agents sample in a file'],
          ['model serve runs/bandit-starpo-s-1 --follow', 'the newest checkpoint, while the run trains'],
        ),
    )
    .action(async (name: string, options: ServeModelOptions) =>
      readingModel(`serve ${name}`, () => serve(name, options, console)),
    );
}

async function serve(named: string, options: ServeModelOptions, console: Console): Promise<void> {
  const { host, port, apiKey, maxSessions, seed, trajectories } = options;
  const served = await (options.follow === true ? follow : openOnce)(named, options, console);
  const { folder } = served;
  const tokenizer = loadTokenizer(folder);
  const name = options.name ?? basename(resolve(named));
  const write = trajectories === undefined ? undefined : openLog(trajectories);
  let opened = 0;
  try {
    const endpoint = await openEndpoint({
      answering: {
        policy: served.policy,
        tokenizer,
        contextLength: served.contextLength,
        variables: {},
      },
      model: name,
      host,
      port,
      apiKey: apiKey === '' ? undefined : apiKey,
      maxSessions,
      idleTimeoutMs: options.idle * 1000,
      opensByCall: true,
      needsSession: false,
      admit: (asked) => {
        const state = asked.seed ?? seed;
        const seeds = { state, noise: state, sampling: seed + opened };
        return {
          rollout: { environment: 'session', split: 'test', step: 0, group: opened++, index: 0, seeds },
        };
      },
      encode: encodeSession,
      onEnd: (session) => {
        if (session.state === 'success' || session.state === 'failure')
          void encodeSession(session).then(write);
      },
    });
    if (options.json === true) console.line(JSON.stringify({ url: endpoint.url, model: name, folder }));
    else announce(endpoint.url, name, console);
    const over = options.endIdle === undefined ? undefined : untilIdle(endpoint, options.endIdle * 1000);
    await untilStopped(console, () => endpoint.close(), { isTold: options.json !== true, over });
  } finally {
    await served.dispose();
  }
}

interface ServedModel {
  readonly folder: string;
  readonly contextLength: number;
  readonly policy: AnsweringPolicy['policy'];
  dispose(): Promise<void>;
}

async function openOnce(
  named: string,
  { threads }: ServeModelOptions,
  console: Console,
): Promise<ServedModel> {
  const { folder, base } = await openNamedModel('serve', named, console);
  const engine = await createEmbeddedEngine({ folder, base, ...(threads === undefined ? {} : { threads }) });
  const { policy, description } = engine;
  return { folder, contextLength: description.contextLength, policy, dispose: () => engine.dispose() };
}

/** @throws cli.usage for anything but a run folder */
async function follow(run: string, options: ServeModelOptions, console: Console): Promise<ServedModel> {
  if (!existsSync(checkpointsFolder(run)))
    throw new AppError(
      'cli.usage',
      `model serve ${run} --follow: ${run} is no folder of a run with checkpoints, and nothing else has newer ones; name a run, or leave out --follow`,
    );
  let contextLength = 0;
  const { first, policy, dispose } = await followCheckpoints({
    newest: () => listCheckpoints(run)[0],
    open: async () => {
      const opened = await openOnce(run, options, console);
      ({ contextLength } = opened);
      return { ...opened, step: runLayout.stepOf(basename(dirname(opened.folder))) ?? 0 };
    },
    onSwitch: ({ folder, step }) =>
      console.line(
        options.json === true ? JSON.stringify({ step, folder }) : `  now step ${step}: ${folder}`,
      ),
    onFailure: (error) =>
      console.note(
        `warning: a newer checkpoint of ${run} cannot be served: ${(error as Error).message}; the one before goes on answering`,
      ),
  });
  return { folder: first.folder, contextLength, policy, dispose };
}

/** Resolves when nobody has called for so long. */
async function untilIdle(endpoint: Endpoint, ms: number): Promise<void> {
  for (let idle = endpoint.idleMs(); idle < ms; idle = endpoint.idleMs())
    await wait(Math.max(ms - idle, 50), undefined, { ref: false });
}

function announce(url: string, name: string, console: Console): void {
  console.line(`${name} answers at ${url}/v1 (OpenAI) and ${url} (Anthropic)`);
  console.line(`  sessions: ${url}/sessions/NAME/v1, then POST ${url}/sessions/NAME/reward {"reward": 1}`);
  console.line('  Ctrl-C ends it');
}

/** The reward that was posted, as that of an environment. */
const posted: BoundReward = {
  id: 'environment-return',
  weight: 1,
  score: ({ turns }) => ({ perTurn: turns.map(({ reward }) => reward) }),
};

async function encodeSession(session: Session): Promise<string> {
  const ended = await session.ended;
  const { trajectory }: { readonly trajectory: Trajectory } = await scoreTrajectory(ended, [posted]);
  return encodeTrajectory(trajectory, { kept: false });
}

/** Opens the file at once, so that one that cannot be written is refused before anything is sampled. */
function openLog(file: string): (line: string) => void {
  const append = (text: string): void => {
    try {
      appendFileSync(file, text);
    } catch (cause) {
      throw new AppError(
        'cli.unusable_folder',
        `--trajectories ${file}: ${(cause as Error).message}; name a file in a folder that can be written`,
        { cause },
      );
    }
  };
  append('');
  return (line) => append(`${line}\n`);
}

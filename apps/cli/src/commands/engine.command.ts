import { basename, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';

import { createEmbeddedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import { findLoraProblem } from '@espalier/model/adapters';
import type { LoraConfigJson, ServedBase } from '@espalier/tinker/server';
import { createEngineServer } from '@espalier/tinker/server';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { openNamedModel } from '../local/named-model.js';
import type { OpenedModel } from '../local/open-model.js';
import { parseCount } from '../parse-arguments.js';
import { loopback } from '../remote/open-server.js';
import { untilStopped } from '../remote/stop-request.js';

interface EngineServeOptions {
  readonly host: string;
  readonly port: number;
  readonly data: string;
  readonly maxModels: number;
  readonly threads?: number;
  readonly sessionSeconds: number;
  readonly json?: boolean;
}

/** Adds `espalier engine`. */
export function addEngineCommand(program: Command, context: CommandContext): void {
  const engine = program.command('engine').description('engines that other processes train with');
  engine
    .command('serve <model...>')
    .description(
      'offer models over the Tinker API: sampling, losses by name, training of all weights or LoRA',
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0: any free one', parseCount('--port', 0), 4600)
    .option('--data <folder>', 'where weights are saved', 'engine')
    .option('--max-models <n>', 'models trained at once', parseCount('--max-models', 1), 4)
    .option(
      '--threads <n>',
      'threads per operator (default: OMP_NUM_THREADS, else all cores)',
      parseCount('--threads', 1),
    )
    .option(
      '--session-seconds <n>',
      'a session without a heartbeat ends after so long, and its models with it',
      parseCount('--session-seconds', 1),
      300,
    )
    .option('--json', 'print one line of JSON when it is ready')
    .addHelpText(
      'after',
      `\nClients send the key of the variable ESPALIER_ENGINE_KEY as X-API-Key; beyond this machine it is required.\n` +
        `The official Python SDK takes it as TINKER_API_KEY, and wants it to begin with "tml-".\n` +
        examples(
          ['engine serve seedling', 'the built-in model on http://127.0.0.1:4600, as "seedling"'],
          ['engine serve models/smollm2 --host 0.0.0.0 --port 0 --json', 'any free port, printed as JSON'],
        ),
    )
    .action(async (names: string[], options: EngineServeOptions) => serve(names, options, context.console));
}

async function serve(names: readonly string[], options: EngineServeOptions, console: Console): Promise<void> {
  const apiKey = process.env['ESPALIER_ENGINE_KEY'] || undefined;
  if (apiKey === undefined && !loopback.has(options.host))
    throw new AppError(
      'engine.denied',
      `engine serve --host ${options.host}: other machines could use it without a key; set ESPALIER_ENGINE_KEY`,
    );
  const models: ServedBase[] = [];
  for (const name of names)
    models.push(serveModel(name, await openNamedModel('serve', name, console), options));
  const twice = models.find(({ name }, at) => models.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined)
    throw new AppError('cli.usage', `engine serve: two models are named "${twice.name}"; serve them apart`);
  const server = await createEngineServer({
    models,
    folder: resolve(options.data),
    host: options.host,
    port: options.port,
    apiKey,
    maxModels: options.maxModels,
    sessionMs: 1000 * options.sessionSeconds,
  });
  const offered = models.map(({ name }) => name);
  if (options.json === true) console.line(JSON.stringify({ url: server.url, models: offered }));
  else console.line(`espalier engine  ${console.colors.bold(server.url)}  offers ${offered.join(', ')}`);
  await untilStopped(console, () => server.close(), { isTold: options.json !== true });
}

/** A model as clients name it: that of a hub or a plugin as it was written, a folder by its last part. */
function serveModel(written: string, opened: OpenedModel, { threads }: EngineServeOptions): ServedBase {
  const { folder, base, config, limits } = opened;
  const tokenizer = loadTokenizer(folder, { needsTemplate: false });
  const isFolder = 'path' in opened.choice;
  const [named = written] = written.replace(/^hub:/, '').split('@', 1);
  const name = isFolder ? basename(resolve(written)) : named;
  return {
    name,
    contextLength: limits.contextLength,
    stopTokens: tokenizer.stopTokens,
    encode: (text) => tokenizer.encode(text),
    open: async (lora) =>
      createEmbeddedEngine({
        folder,
        base,
        ...(threads === undefined ? {} : { threads }),
        ...(lora === undefined ? {} : { lora: adaptersOf(lora, config) }),
      }),
  };
}

const attention = ['q_proj', 'k_proj', 'v_proj', 'o_proj'];
const feedForward = ['gate_proj', 'up_proj', 'down_proj'];

/** The adapters that a client asks for; alpha is twice the rank. @throws engine.unsupported */
function adaptersOf(asked: LoraConfigJson, config: OpenedModel['config']) {
  const { rank, seed, train_attn = true, train_mlp = true, train_unembed = false } = asked;
  const parts = [
    ...(train_attn ? attention : []),
    ...(train_mlp ? feedForward : []),
    ...(train_unembed ? ['lm_head'] : []),
  ];
  const targets = train_attn && train_mlp && !train_unembed ? ('all-linear' as const) : parts;
  const problem = findLoraProblem(config, { rank, targets });
  if (problem !== undefined || parts.length === 0) {
    const finding = problem?.join(' ') ?? 'nothing is to be trained';
    const remedy = train_unembed ? '; train_unembed: false leaves out the output head' : '';
    throw new AppError('engine.unsupported', `create model: lora_config: ${finding}${remedy}`);
  }
  return {
    rank,
    alpha: 2 * rank,
    rankStabilized: false,
    targets,
    dropout: 0,
    baseDtype: 'float32' as const,
    critic: 'adapter' as const,
    seed: seed ?? Math.floor(Math.random() * 2 ** 31),
    base: undefined,
  };
}

import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { AppError, type Tokenizer } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { openNamedModel, readingModel } from '../local/named-model.js';
import type { OpenedModel } from '../local/open-model.js';

interface ScoreOptions {
  readonly text: string;
  readonly json?: boolean;
}

interface ScoredToken {
  readonly id: number;
  readonly text: string;
  /** nats; null for the first token, which nothing predicts */
  readonly logprob: number | null;
  /** of the distribution that the token was predicted with */
  readonly entropy: number | null;
}

/** Adds `espalier model score`. */
export function addModelScore(model: Command, { console }: CommandContext): void {
  model
    .command('score <model>')
    .description('show the log-probability of each token of a text')
    .requiredOption('--text <file>', 'the text, as it is; - reads standard input')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['model score models/smollm2 --text story.txt', 'a token per line'],
        ['model score seedling --text - --json', 'of a text from a script', `printf 'State: P_G'`],
      ),
    )
    .action(async (name: string, options: ScoreOptions) =>
      readingModel(`score ${name}`, () => score(name, options, console)),
    );
}

async function score(name: string, { text: path, json }: ScoreOptions, console: Console): Promise<void> {
  const text = readText(path);
  const { folder, base, config } = await openNamedModel('score', name, console);
  const tokenizer = loadTokenizer(folder, { needsTemplate: false });
  const ids = tokenizer.encode(text);
  if (ids.length === 0)
    throw new AppError('cli.usage', `--text ${path}: the text is empty; give at least one token`);
  const { contextLength } = config.shape;
  if (ids.length > contextLength)
    throw new AppError(
      'engine.context_exceeded',
      `score ${path}: the text has ${ids.length} tokens, the context of ${name} ${contextLength}; shorten the text`,
    );
  const tokens = await scoreTokens({ folder, base }, ids, tokenizer);
  const known = tokens.slice(1);
  const total = known.reduce((sum, { logprob }) => sum + (logprob ?? 0), 0);
  const perplexity = known.length === 0 ? null : Math.exp(-total / known.length);
  if (json === true) return console.line(JSON.stringify({ model: name, tokens, logprob: total, perplexity }));
  console.line('     id  log-prob  entropy  text');
  for (const { id, text: piece, logprob, entropy } of tokens)
    console.line(
      `${String(id).padStart(7)}  ${column(logprob)}  ${column(entropy, 7)}  ${JSON.stringify(piece)}`,
    );
  console.line(`total ${total.toFixed(3)}, perplexity ${perplexity?.toFixed(3) ?? 'unknown'}`);
}

const column = (value: number | null, width = 8): string => (value?.toFixed(4) ?? '').padStart(width);

function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (cause) {
    throw new AppError('cli.usage', `--text ${path}: the file cannot be read; name a text file`, { cause });
  }
  if (!isUtf8(bytes))
    throw new AppError('cli.usage', `--text ${path}: it is not UTF-8; convert it, or name another file`);
  return bytes.toString('utf8');
}

async function scoreTokens(
  model: Pick<OpenedModel, 'folder' | 'base'>,
  ids: Int32Array,
  tokenizer: Tokenizer,
): Promise<ScoredToken[]> {
  const engine = await createEmbeddedEngine(model);
  try {
    const positions = Int32Array.from({ length: ids.length - 1 }, (_, i) => i + 1);
    const [scores] = positions.length === 0 ? [] : await engine.policy.score([{ tokens: ids, positions }]);
    return Array.from(ids, (id, i) => ({
      id,
      text: tokenizer.decode([id]),
      logprob: scores?.logprobs[i - 1] ?? null,
      entropy: scores?.entropies[i - 1] ?? null,
    }));
  } finally {
    await engine.dispose();
  }
}

import { createInterface } from 'node:readline';
import type { ChatMessage } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createConversation } from '../local/conversation.js';
import { openNamedModel, readingModel } from '../local/named-model.js';
import { parseAmount, parseCount, parseSeed, parseShare } from '../parse-arguments.js';

interface ChatOptions {
  readonly system?: string;
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly maxTokens: number;
  readonly seed: number;
}

/** Adds `espalier model chat`. */
export function addModelChat(model: Command, { console }: CommandContext): void {
  model
    .command('chat <model>')
    .description('talk to a model through its chat template; each line is a message')
    .option('--system <text>', 'system message')
    .option('--temperature <t>', 'sampling temperature; 0 = greedy', parseAmount('--temperature'), 0.7)
    .option('--top-p <p>', 'most probable tokens with this total probability', parseShare('--top-p'), 1)
    .option('--top-k <k>', 'that many most probable tokens; 0 = all', parseCount('--top-k', 0), 0)
    .option('--max-tokens <n>', 'longest reply', parseCount('--max-tokens', 1), 512)
    .option('--seed <n>', 'seed of sampling', parseSeed, 0)
    .addHelpText(
      'after',
      `\nEnds with the input (Ctrl-D). Ctrl-C stops a reply.\n` +
        examples(
          ['model chat models/smollm2', 'a conversation in the terminal'],
          ['model chat models/smollm2 --temperature 0', 'one reply, for a script', `echo 'Name a colour.'`],
        ),
    )
    .action(async (name: string, options: ChatOptions) =>
      readingModel(`chat ${name}`, () => chat(name, options, console)),
    );
}

async function chat(name: string, options: ChatOptions, console: Console): Promise<void> {
  const { folder, base } = await openNamedModel('chat', name, console);
  const tokenizer = loadTokenizer(folder);
  const engine = await createEmbeddedEngine({ folder, base });
  const { system, maxTokens, temperature, topP, topK, seed } = options;
  const conversation = createConversation(engine, tokenizer, {
    seed,
    params: { temperature, topP, topK, maxTokens },
  });
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
  const isTerminal = console.isInteractive && process.stdin.isTTY === true;
  try {
    for await (const { text, signal } of readMessages(isTerminal)) {
      if (text.trim() === '') continue;
      messages.push({ role: 'user', content: text });
      const content = await conversation.reply(messages, (piece) => console.write(piece), signal);
      messages.push({ role: 'assistant', content });
      console.line();
    }
  } finally {
    await engine.dispose();
  }
}

interface Message {
  readonly text: string;
  /** aborted by Ctrl-C */
  readonly signal: AbortSignal;
}

async function* readMessages(isTerminal: boolean): AsyncGenerator<Message> {
  const output = isTerminal ? { output: process.stdout } : {};
  const reader = createInterface({ input: process.stdin, terminal: isTerminal, prompt: '> ', ...output });
  let abort: AbortController | undefined;
  reader.on('SIGINT', () => (abort === undefined ? reader.close() : abort.abort()));
  if (isTerminal) reader.prompt();
  for await (const text of reader) {
    abort = new AbortController();
    yield { text, signal: abort.signal };
    abort = undefined;
    if (isTerminal) reader.prompt();
  }
}

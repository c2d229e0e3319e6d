import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { addModelChat } from './model-chat.command.js';
import { addModelDownload } from './model-download.command.js';
import { addModelFiles } from './model-files.command.js';
import { addModelInfo } from './model-info.command.js';
import { addModelScore } from './model-score.command.js';
import { addModelServe } from './model-serve.command.js';

/** Adds `espalier model …`: what is done with a model outside a run. */
export function addModelCommand(program: Command, context: CommandContext): void {
  const model = program
    .command('model')
    .description('download, import, look at, talk to, serve and export models')
    .addHelpText(
      'after',
      `\nA <model> is a model folder, a checkpoint, a run (RUN@STEP: one of its checkpoints), the id of a model plugin, or hub:owner/name@revision.\n` +
        examples(
          ['model import SmolLM2-135M-Instruct.Q4_1.gguf --out models/smollm2', 'makes a model folder'],
          ['model info models/smollm2', 'family, sizes, tokenizer, memory'],
          ['model chat models/smollm2', 'a conversation in the terminal'],
        ),
    );
  addModelDownload(model, context);
  addModelFiles(model, context);
  addModelInfo(model, context);
  addModelScore(model, context);
  addModelChat(model, context);
  addModelServe(model, context);
}

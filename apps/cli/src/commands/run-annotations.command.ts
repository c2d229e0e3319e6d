import type { Client } from '@espalier/client';
import { clean } from '../console.js';
import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { actOnRuns } from '../remote/act-on-runs.js';
import { findRun } from '../remote/find-run.js';
import { displayName } from '../remote/run-table.js';
import { examples } from '../examples.js';
import { parseInteger } from '../parse-arguments.js';

/** Adds `espalier run rename`, `tag`, `note`, `comment` and `delete`. */
export function addRunAnnotations(run: Command, context: CommandContext): void {
  const { console } = context;
  withConnection(run.command('rename <run> <title>'))
    .description('give a run a title, which lists show instead of its name; "" takes it away')
    .addHelpText('after', examples(['run rename bandit-grpo "baseline, seed 1"', 'its name stays']))
    .action(async (word: string, title: string, options: ConnectOptions) => {
      const client = connect(options);
      const renamed = await client.runs.edit(await findRun(client, word), { title });
      console.line(
        options.json === true ? JSON.stringify(renamed) : `run ${renamed.id}  ${clean(displayName(renamed))}`,
      );
    });
  withConnection(run.command('tag <run> [tags...]'))
    .description('add tags to a run; without any, print those it has')
    .option('--remove', 'take these tags away instead')
    .addHelpText('after', examples(['run tag bandit-grpo baseline paper', 'adds two tags']))
    .action(async (word: string, tags: string[], options: ConnectOptions & { remove?: boolean }) => {
      const client = connect(options);
      const id = await findRun(client, word);
      const present = (await client.runs.get(id)).tags;
      const wanted =
        options.remove === true
          ? present.filter((tag) => !tags.includes(tag))
          : [...new Set([...present, ...tags])];
      const now = tags.length === 0 ? present : (await client.runs.edit(id, { tags: wanted })).tags;
      console.line(options.json === true ? JSON.stringify({ id, tags: now }) : now.join(' '));
    });
  withConnection(run.command('note <run> [text]'))
    .description('write a note about a run; without a text, print the one it has')
    .addHelpText('after', examples(['run note bandit-grpo "learning rate too high?"', 'replaces its note']))
    .action(async (word: string, text: string | undefined, options: ConnectOptions) => {
      const client = connect(options);
      const id = await findRun(client, word);
      const { note } =
        text === undefined ? await client.runs.get(id) : await client.runs.edit(id, { note: text });
      console.line(options.json === true ? JSON.stringify({ id, note }) : note);
    });
  addComment(run, context);
  withConnection(run.command('delete <run...>'))
    .description('delete stopped runs with their history, trajectories and checkpoints')
    .option('--yes', 'really')
    .addHelpText('after', examples(['run delete bandit-grpo --yes', 'cannot be undone']))
    .action(async (words: string[], options: ConnectOptions & { yes?: boolean }) => {
      const client = connect(options);
      const [word = ''] = words;
      if (options.yes === true && words.length > 1)
        return actOnRuns(client, context, words, { action: 'delete' }, options);
      const id = await findRun(client, word);
      if (options.yes !== true)
        throw new AppError(
          'cli.usage',
          `delete run ${words.length > 1 ? words.join(', ') : id}: this cannot be undone and takes its checkpoints too; add --yes`,
        );
      const deleted = await client.runs.delete(id);
      console.line(options.json === true ? JSON.stringify(deleted) : `run ${id}  ${deleted.name}  deleted`);
    });
}

/** Options of `espalier run comment`. */
interface CommentOptions extends ConnectOptions {
  readonly step?: number;
  readonly delete?: string;
}

function addComment(run: Command, { console }: CommandContext): void {
  withConnection(run.command('comment <run> [text]'))
    .description('add a comment to a run; without a text, print its comments')
    .option(
      '--step <number>',
      'the step it is about; without a text, only its comments',
      parseInteger('--step', 0, 2 ** 31 - 1),
    )
    .option('--delete <comment>', 'delete the comment of this id instead')
    .addHelpText(
      'after',
      examples(['run comment bandit-grpo "loops from here" --step 12', 'with your key’s name']),
    )
    .action(async (word: string, text: string | undefined, options: CommentOptions) => {
      const client = connect(options);
      const id = await findRun(client, word);
      if (text !== undefined && options.delete !== undefined)
        throw new AppError('cli.usage', 'run comment --delete: a text was given too; give one of them');
      const comments = await act(client, id, text, options);
      if (comments.length === 0 && options.json !== true) console.note('no comments');
      for (const comment of comments)
        console.line(
          options.json === true
            ? JSON.stringify(comment)
            : `${comment.id}  ${comment.createdAt}  ${clean(comment.createdBy)}${comment.step === null ? '' : `  step ${comment.step}`}  ${clean(comment.text)}${options.delete === undefined ? '' : '  deleted'}`,
        );
    });
}

type Comments = Awaited<ReturnType<Client['runs']['comments']>>;

/** Deletes, adds or lists; gives the comments to print. */
async function act(
  { runs }: Client,
  id: string,
  text: string | undefined,
  { step, delete: commentId }: CommentOptions,
): Promise<Comments> {
  if (commentId !== undefined) return [await runs.deleteComment(id, commentId)];
  if (text !== undefined) return [await runs.comment(id, { text, ...(step === undefined ? {} : { step }) })];
  const all = await runs.comments(id);
  return step === undefined ? all : all.filter((comment) => comment.step === step);
}

import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addSweepCommand } from '../commands/sweep.command.js';
import type { CommandContext } from '../command-context.js';
import { resumeWords } from './resume-words.js';

/** The options of `espalier sweep` as a shell and its parser give them. */
function parse(words: string): { file: string; options: Record<string, unknown> } {
  const program = new Command();
  addSweepCommand(program, {} as CommandContext);
  const sweep = program.commands[0] as Command;
  let found: ReturnType<typeof parse> | undefined;
  sweep.action((file: string, options: Record<string, unknown>) => void (found = { file, options }));
  const unquoted = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  program.parse(unquoted, { from: 'user' });
  if (found === undefined) throw new Error(`"${words}" called nothing`);
  return found;
}

it('repeats all that a sweep was asked for', () => {
  const request = {
    set: ['steps=20', 'rollout.prompt.system=be brief'],
    only: ['a', 'b'],
    seeds: [3, 4],
    concurrency: 2,
    threads: 3,
    budget: 5400,
    out: 'my sweeps/one',
    server: 'http://localhost:8080',
  };
  expect(parse(resumeWords('my sweep.yaml', request))).toEqual({ file: 'my sweep.yaml', options: request });
});

it('leaves out what the command does by itself', () => {
  expect(resumeWords('sweep.yaml', { set: [], only: [], concurrency: 1 })).toBe('sweep sweep.yaml');
});

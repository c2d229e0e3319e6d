/**
 * @file Runs a page for authors as its reader would: blocks that begin with a file name are written, `sh` blocks are typed, each
 * where the one before ended. Every block must be one or the other, and what it writes must be used further down.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';

export interface PageOptions {
  /** where its reader begins */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** lines, and what is typed in their place where they take long as they stand */
  readonly instead?: Readonly<Record<string, string>>;
}

interface Block {
  readonly language: string;
  readonly text: string;
  /** of the fence */
  readonly line: number;
}

/** Reads the fenced blocks of a page. */
export function readBlocks(page: string): Block[] {
  return [...page.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(({ 1: language = '', 2: text = '', index }) => ({
    language,
    text,
    line: page.slice(0, index).split('\n').length,
  }));
}

/**
 * Runs a page.
 *
 * @param name of the page, for errors
 * @returns what its commands print
 * @throws Error that names the page and the line of the block that fails
 */
export async function runPage(name: string, page: string, options: PageOptions): Promise<string> {
  const reader = createReader(options);
  const output: string[] = [];
  for (const block of readBlocks(page)) {
    try {
      output.push(await reader.follow(block));
    } catch (error) {
      throw new Error(`${name}:${block.line}: ${(error as Error).message}`, { cause: error });
    }
  }
  const unused = reader.unused();
  if (unused.length > 0) throw new Error(`${name}: never used: ${unused.join(', ')}`);
  return output.join('\n');
}

function createReader({ folder, env, instead = {} }: PageOptions) {
  let cwd = folder;
  /** files that no command has read yet, by the path that the page shows */
  const waiting = new Set<string>();
  const type = async (text: string): Promise<string> => {
    const place = join(folder, '.cwd');
    const script = `${replaceLines(text, instead)}\npwd > '${place}'\n`;
    const printed = await runShell(script, cwd, env);
    cwd = readFileSync(place, 'utf8').trim();
    for (const path of waiting) if (isReadBy(text, path)) waiting.delete(path);
    return printed;
  };
  return {
    unused: () => [...waiting],
    async follow({ language, text }: Block): Promise<string> {
      if (language === 'sh') return type(text);
      const [, path] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text) ?? [];
      if (path === undefined) throw new Error('a block is neither sh nor begins with the name of a file');
      const file = join(cwd, path);
      if (relative(folder, file).startsWith('..')) throw new Error(`${path} lies outside of the folder`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      if (path.includes('.github/workflows/'))
        return runPipeline(text, join(dirname(file), '../..'), { env, instead });
      waiting.add(path);
      return '';
    },
  };
}

/** A source is read by the tests of its package, the list of plugins by every command, another file where it is named. */
function isReadBy(command: string, path: string): boolean {
  if (/\.[jt]s$/.test(path)) return /\bnpm test\b/.test(command);
  return path === 'config/plugins.yaml' ? command.includes('npx espalier') : command.includes(path);
}

/** What is replaced may be several lines. */
function replaceLines(text: string, instead: Readonly<Record<string, string>>): string {
  const replaced = Object.entries(instead).reduce(
    (lines, [written, typed]) => lines.replaceAll(`\n${written}\n`, `\n${typed}\n`),
    `\n${text.trimEnd()}\n`,
  );
  return replaced.trim();
}

/** Runs the `run` steps of a workflow. */
async function runPipeline(
  text: string,
  folder: string,
  { env, instead }: Pick<PageOptions, 'env'> & Required<Pick<PageOptions, 'instead'>>,
): Promise<string> {
  const { jobs } = parse(text) as { jobs: Record<string, { steps: { run?: string }[] }> };
  const output: string[] = [];
  for (const { run } of Object.values(jobs).flatMap(({ steps }) => steps))
    if (run !== undefined) output.push(await runShell(replaceLines(run, instead), folder, env));
  return output.join('\n');
}

/** Runs lines until one fails; who asks for input is told `q`. */
async function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const running = promisify(execFile)('sh', ['-ec', script], { cwd, env, maxBuffer: 2 ** 26 });
  // one that ends without reading closes the pipe
  running.child.stdin?.on('error', () => undefined).end('q\n');
  const { stdout } = await running.catch((error: unknown) => {
    const { message, stdout: printed } = error as Error & { stdout?: string };
    throw new Error(`${message}\n${printed ?? ''}`, { cause: error });
  });
  return stdout;
}

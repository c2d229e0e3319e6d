import { AppError } from '@espalier/contracts';
import { isHubModel, modelChoice } from '@espalier/contracts/model-choice';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { downloadHubModel } from '../local/hub-model.js';
import { formatBytes } from '../view/numbers.js';

interface DownloadCommandOptions {
  readonly revision?: string;
  readonly json?: boolean;
}

/** Adds `espalier model download`. */
export function addModelDownload(model: Command, { console }: CommandContext): void {
  model
    .command('download <repository>')
    .description('download a model of a hub into the cache of Hugging Face; the same command resumes')
    .option('--revision <revision>', 'branch, tag or commit (default: main)')
    .option('--json', 'print progress and the result, one JSON object per line')
    .addHelpText(
      'after',
      `\nHF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_TOKEN and HF_HUB_OFFLINE apply as in Hugging Face's own tools.\n` +
        examples(
          ['model download Qwen/Qwen2.5-0.5B-Instruct', 'the newest commit of main'],
          ['model download OWNER/NAME --revision v1.0 --json', 'a tag, for a script'],
        ),
    )
    .action(async (repository: string, options: DownloadCommandOptions) =>
      download(repository, options, console),
    );
}

async function download(
  repository: string,
  { revision, json }: DownloadCommandOptions,
  console: Console,
): Promise<void> {
  const parsed = modelChoice.safeParse({
    hub: repository.replace(/^hub:/, ''),
    ...(revision === undefined ? {} : { revision }),
  });
  if (!parsed.success || !isHubModel(parsed.data))
    throw new AppError(
      'cli.usage',
      `model download ${repository}: ${parsed.error?.issues[0]?.message ?? 'expected owner/name'}`,
    );
  const report = json === true ? reportJson(console) : undefined;
  const { folder, commit, bytes } = await downloadHubModel(parsed.data, console, report);
  if (json === true)
    return console.line(
      JSON.stringify({ kind: 'downloaded', model: parsed.data.hub, commit, folder, bytes: bytes ?? null }),
    );
  console.line(`model ${folder}${bytes === undefined ? '  (cached)' : `  ${formatBytes(bytes)}`}`);
}

/** At most one line of progress in a while; a large file arrives in thousands of pieces. */
function reportJson(console: Console): (progress: object) => void {
  let next = 0;
  return (progress) => {
    if (performance.now() < next) return;
    next = performance.now() + 500;
    console.line(JSON.stringify(progress));
  };
}

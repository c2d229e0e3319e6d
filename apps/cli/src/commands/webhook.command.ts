/** @file `espalier webhook test`: posts a message to the webhooks in the settings of a server. */
import { AppError } from '@espalier/contracts';
import { postWebhook } from '@espalier/server/plain';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean } from '../console.js';
import { examples } from '../examples.js';
import { exitCodes } from '../exit-codes.js';
import { resolveOptions } from '../remote/open-server.js';

interface Options {
  readonly config: string;
  readonly json?: boolean;
}

/** Adds `espalier webhook`. */
export function addWebhookCommand(program: Command, { console, finish }: CommandContext): void {
  program
    .command('webhook')
    .description('addresses that a server tells of alerts (docs/use/server.md)')
    .command('test [names...]')
    .description('post a test message to the webhooks in the settings of a server, or to those named')
    .option('--config <file>', 'file of settings', 'config/server.yaml')
    .option('--json', 'print one JSON object per webhook')
    .addHelpText(
      'after',
      `\nRun it where the server runs, which needs not be up: the message goes from this machine.\n` +
        examples(['webhook test', 'all of them'], ['webhook test chat pager', 'two of them']),
    )
    .action(async (names: string[], options: Options) => {
      const known = resolveOptions(options).webhooks;
      const unknown = names.find((name) => !known.some((webhook) => webhook.name === name));
      if (known.length === 0 || unknown !== undefined)
        throw new AppError(
          'cli.usage',
          `test webhook${unknown === undefined ? 's' : ` "${unknown}"`}: the settings have ${known.map(({ name }) => name).join(', ') || 'no webhooks; add one (webhooks in config/server.yaml)'}`,
        );
      const chosen = known.filter(({ name }) => names.length === 0 || names.includes(name));
      const findings = await Promise.all(chosen.map(tryWebhook));
      for (const [index, finding] of findings.entries()) {
        const name = chosen[index]?.name ?? '';
        const line = finding === undefined ? 'took it' : `did not take it: ${clean(finding)}`;
        console.line(
          options.json === true
            ? JSON.stringify({ webhook: name, ok: finding === undefined, ...(finding && { finding }) })
            : `${name} ${line}`,
        );
      }
      if (findings.some((finding) => finding !== undefined)) finish(exitCodes.failed);
    });
}

/** @returns why it did not take the message */
async function tryWebhook({
  name,
  ...webhook
}: ReturnType<typeof resolveOptions>['webhooks'][number]): Promise<string | undefined> {
  const timestamp = new Date().toISOString();
  const text = `This is a test of the webhook "${name}" of Espalier.`;
  const message = { type: 'webhook.test', timestamp, data: {}, text };
  try {
    await postWebhook(webhook, `test-${timestamp}`, message, new AbortController().signal);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

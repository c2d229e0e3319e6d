import { clean } from '../console.js';
import type { ApiKey, Me } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import { type Role, roles } from '@espalier/protocol';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { examples } from '../examples.js';
import { collect, parseCount } from '../parse-arguments.js';
import { formatDuration } from '../view/eta.js';

interface CreateOptions extends ConnectOptions {
  readonly role: Role;
  readonly project: readonly string[];
  readonly maxRunning?: number;
}

/** Adds `espalier key …`: who may use a server. */
export function addKeyCommand(program: Command, context: CommandContext): void {
  const key = program
    .command('key')
    .description('create, list and revoke the API keys of a server; needs an admin key')
    .addHelpText(
      'after',
      `\n${roleText()}${examples(['key create ci --role operator', 'a key for a program'])}`,
    );
  addCreate(key, context);
  addList(key, context);
  withConnection(key.command('whoami'))
    .description('show the key in use: role, projects, limits and how much of them is used')
    .addHelpText('after', examples(['key whoami', 'any key may ask this']))
    .action(async (options: ConnectOptions) => {
      const me = await connect(options).me();
      if (options.json === true) return context.console.line(JSON.stringify(me));
      context.console.line(`${clean(me.name)}  ${me.role}  ${me.keyId}`);
      context.console.line(`  projects            ${me.projects.map(clean).join(', ')}`);
      for (const [name, { limit, used }] of Object.entries(me.limits).filter(
        ([, value]) => typeof value === 'object',
      ) as [string, Allowance][])
        context.console.line(`  ${name.padEnd(18)}  ${used} of ${limit ?? 'any number'}`);
    });
  withConnection(key.command('revoke <key>'))
    .description('revoke a key by its id or name, at once and for good')
    .addHelpText('after', examples(['key revoke ci', 'its sockets are closed']))
    .action(async (word: string, options: ConnectOptions) => {
      const client = connect(options);
      const revoked = await client.keys.revoke((await findKey(client.keys.list, word)).id);
      context.console.line(
        options.json === true ? JSON.stringify(revoked) : `key ${revoked.id}  ${revoked.name}  revoked`,
      );
    });
}

type Allowance = Me['limits']['runningJobs'];

const roleText = (): string =>
  `Roles:\n${Object.entries(roles)
    .map(([role, does]) => `  ${role.padEnd(9)} ${does}\n`)
    .join('')}`;

function addCreate(key: Command, { console }: CommandContext): void {
  withConnection(key.command('create <name>'))
    .description('create a key; its secret is shown only now')
    .addOption(new Option('--role <role>', 'what it may do').choices(Object.keys(roles)).default('operator'))
    .option('--project <name>', 'project it may see; repeatable (default: all)', collect, [])
    .option('--max-running <n>', 'jobs of it that may run at once', parseCount('--max-running', 0))
    .addHelpText(
      'after',
      examples(
        ['key create ci --role operator --project nightly', 'starts and steers runs of one project'],
        ['key create gpu-box --role worker', 'for `espalier worker` on another machine'],
      ),
    )
    .action(async (name: string, options: CreateOptions) => {
      const { role, project, maxRunning, json } = options;
      const made = await connect(options).keys.create({
        name,
        role,
        projects: project.length === 0 ? ['*'] : [...project],
        ...(maxRunning === undefined ? {} : { maxRunning }),
      });
      if (json === true) return console.line(JSON.stringify(made));
      console.line(made.secret);
      console.note(`key ${made.key.id} "${name}", ${role}; the secret is shown only now`);
    });
}

function addList(key: Command, { console }: CommandContext): void {
  withConnection(key.command('list'))
    .description('list keys, newest first, without their secrets')
    .addHelpText('after', examples(['key list --json', 'one object per line']))
    .action(async (options: ConnectOptions) => {
      const { items } = await connect(options).keys.list({ first: 500 });
      for (const one of items) console.line(options.json === true ? JSON.stringify(one) : describe(one));
    });
}

function describe({ id, name, role, projects, prefix, lastUsedAt, revokedAt }: ApiKey): string {
  const used =
    lastUsedAt === null ? 'never used' : `used ${formatDuration(Date.now() - Date.parse(lastUsedAt))} ago`;
  const cells = [id, `${prefix}…`, role.padEnd(8), projects.join(','), revokedAt === null ? used : 'revoked'];
  return `${cells.join('  ')}  ${clean(name)}`;
}

async function findKey(
  list: (page: { first: number }) => Promise<{ readonly items: readonly ApiKey[] }>,
  word: string,
): Promise<Pick<ApiKey, 'id'>> {
  if (word.startsWith('key-')) return { id: word };
  const { items } = await list({ first: 500 });
  const found = items.filter(({ name, revokedAt }) => name === word && revokedAt === null);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const finding = only === undefined ? 'no key in use has this name' : `${found.length} keys have this name`;
  throw new AppError(
    'cli.usage',
    `revoke the key "${word}": ${finding}; name it by its id, see \`key list\``,
  );
}

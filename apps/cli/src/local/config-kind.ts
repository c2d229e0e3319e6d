/** @file Tells the file of a run from that of a sweep, so that each command can name the other. */
import type { ConfigInput } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { calledAs, quoteWord } from '../parse-arguments.js';

const keys = {
  run: ['environment', 'environments', 'algorithm'],
  sweep: ['config', 'variants', 'grid', 'claims'],
} as const;
type Kind = keyof typeof keys;

const hasKeyOf = ({ value }: Pick<ConfigInput, 'value'>, kind: Kind): boolean =>
  keys[kind].some((key) => key in value);

/** The command of each kind. */
const commands = { run: 'train', sweep: 'sweep' } as const;

/** Refuses a configuration of the other kind. @throws cli.usage */
export function requireKind(input: Pick<ConfigInput, 'file' | 'value'>, kind: Kind): void {
  const other = kind === 'run' ? 'sweep' : 'run';
  if (hasKeyOf(input, kind) || !hasKeyOf(input, other)) return;
  throw new AppError(
    'cli.usage',
    `open ${input.file}: it is the file of a ${other}, not of a ${kind}; use ${calledAs()} ${commands[other]} ${quoteWord(input.file)}`,
  );
}

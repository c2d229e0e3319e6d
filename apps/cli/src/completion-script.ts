/** @file Scripts for shells, made of the commands themselves; a path is completed where no option is begun. */
import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Entry {
  /** words of the command, `run list` */
  readonly path: string;
  readonly words: readonly string[];
  /** what an option may be, where that is a list */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

/** Gives the script of a shell. */
export function completionScript(program: Command, shell: Shell): string {
  const entries = listEntries(program, '');
  if (shell === 'fish') return fishScript(entries);
  const script = bashScript(entries);
  return shell === 'zsh'
    ? `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${script}`
    : script;
}

function listEntries(command: Command, path: string): Entry[] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const words = [...command.commands.map((child) => child.name()), ...choices, ...options, '--help'];
  const values = command.options.flatMap(({ long, argChoices: own }) =>
    typeof long !== 'string' || own === undefined ? [] : [{ option: long, choices: own }],
  );
  const children = command.commands.flatMap((child) => listEntries(child, `${path} ${child.name()}`.trim()));
  return [{ path, words, values }, ...children];
}

function bashScript(entries: readonly Entry[]): string {
  const cases = entries.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`);
  const values = entries.flatMap(({ path, values: own }) =>
    own.map(({ option, choices }) => `    '${path} ${option}') words='${choices.join(' ')}' ;;`),
  );
  const known = entries.map(({ path }) => `'${path}'`).filter((path) => path !== "''");
  return `_espalier() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word next words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in
      ${known.join('|')}) path="$next" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _espalier espalier
`;
}

function fishScript(entries: readonly Entry[]): string {
  return entries
    .flatMap(({ path, words, values }) => {
      const condition =
        path === ''
          ? '__fish_use_subcommand'
          : path
              .split(' ')
              .map((word) => `__fish_seen_subcommand_from ${word}`)
              .join('; and ');
      const choicesOf = (word: string): string => {
        const own = values.find(({ option }) => option === word);
        return own === undefined ? '' : ` -x -a '${own.choices.join(' ')}'`;
      };
      return words.map((word) =>
        word.startsWith('--')
          ? `complete -c espalier -n '${condition}' -l ${word.slice(2)}${choicesOf(word)}`
          : `complete -c espalier -n '${condition}' -a ${word}`,
      );
    })
    .join('\n')
    .concat('\n');
}

/**
 * Formats examples for the end of a help text: what each does below what is typed. A command stands without its
 * program name; `fed` is what is typed before it, to feed it through a pipe.
 */
export function examples(
  ...rows: readonly (readonly [command: string, does: string, fed?: string])[]
): string {
  const lines = rows.map(
    ([command, does, fed]) =>
      `  $ ${fed === undefined ? '' : `${fed} | `}espalier ${command}\n      ${does}\n`,
  );
  return `\nExamples:\n${lines.join('')}`;
}

/** Formats examples for the end of a help text; each is a command without its program name, and what it does. */
export function examples(...rows: readonly (readonly [command: string, does: string])[]): string {
  return `\nExamples:\n${rows.map(([command, does]) => `  $ espalier ${command}\n      ${does}\n`).join('')}`;
}

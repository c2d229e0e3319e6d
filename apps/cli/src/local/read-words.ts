import { createInterface, type Interface } from 'node:readline';

const arrows: Readonly<Record<string, string>> = { up: 'Up', down: 'Down', left: 'Left', right: 'Right' };

/**
 * Reads what a person types, line by line; on a terminal an arrow key on an empty line is a line of its own
 * (`Up`, `Down`, `Left`, `Right`). A line that ends in a backslash goes on in the next one, as an action of several lines
 * needs. Ends with the input or Ctrl-C, and then leaves the line of the prompt.
 */
export async function* readWords(prompt: string, isTerminal: boolean): AsyncGenerator<string> {
  const waiting: string[] = [];
  let begun = '';
  let wake: () => void = () => undefined;
  let isOver = false;
  let isAsking = false;
  const reader = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: isTerminal,
    historySize: 0,
  });
  const push = (word: string): void => {
    isAsking = false;
    waiting.push(word);
    wake();
  };
  const end = (): void => {
    isOver = true;
    if (isTerminal && isAsking) process.stdout.write('\n');
    wake();
  };
  const onKey = (_text: string, key: { name?: string }): void => {
    const arrow = arrows[key.name ?? ''];
    if (arrow !== undefined && (reader as Interface & { line: string }).line === '') push(arrow);
  };
  reader.on('line', push).on('close', end);
  if (isTerminal) process.stdin.on('keypress', onKey);
  reader.setPrompt(prompt);
  try {
    for (;;) {
      if (isTerminal && waiting.length === 0 && !isOver) {
        isAsking = true;
        reader.prompt();
      }
      if (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      const word = waiting.shift();
      if (word === undefined) return;
      if (word.endsWith('\\')) {
        begun += `${word.slice(0, -1)}\n`;
        continue;
      }
      yield `${begun}${word}`.trim();
      begun = '';
    }
  } finally {
    process.stdin.off('keypress', onKey);
    reader.close();
  }
}

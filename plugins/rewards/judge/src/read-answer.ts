/** @file The score in what a judge wrote: after its reasoning, as JSON or as a number on the last line. */

export interface Scale {
  readonly min: number;
  readonly max: number;
}

/** Reads a score. @returns the number, or what is wrong with the text */
export function readAnswer(text: string, { min, max }: Scale): number | string {
  const opened = text.includes('<think>');
  const closing = text.lastIndexOf('</think>');
  if (opened && closing < 0) return 'its reasoning has no end';
  const said = (closing < 0 ? text : text.slice(closing + '</think>'.length)).trim();
  if (said === '') return 'it is empty';
  const score = scoreOfJson(said) ?? scoreOfLine(said.slice(said.lastIndexOf('\n') + 1));
  if (score === undefined)
    return `it ends with neither {"score": …} nor a number: ${JSON.stringify(said.slice(-80))}`;
  return score >= min && score <= max ? score : `${score} is not within ${min}..${max}`;
}

/** The last JSON object of a text that has a number under `score`. */
function scoreOfJson(said: string): number | undefined {
  const end = said.lastIndexOf('}');
  // the object with the score is the outermost that ends the text; a few tries suffice
  let start = said.lastIndexOf('{', end);
  for (let tries = 0; start >= 0 && end > start && tries < 20; tries++) {
    const value = parse(said.slice(start, end + 1));
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'score')) {
      const { score } = value as { score: unknown };
      if (typeof score === 'number') return score;
      return typeof score === 'string' ? numberOf(score) : undefined;
    }
    if (start === 0) break;
    start = said.lastIndexOf('{', start - 1);
  }
  return undefined;
}

/** A line such as `7`, `Score: 7`, `**7/10**` or `7.5.`; a line with other words says nothing certain. */
function scoreOfLine(line: string): number | undefined {
  const plain = line.replaceAll('*', '').trim();
  const after = /^(?:final |overall )?(?:score|rating|answer)\s?[:=]\s?/i.exec(plain)?.[0] ?? '';
  return numberOf(plain.slice(after.length).split('/')[0] ?? '');
}

function numberOf(text: string): number | undefined {
  const digits = text.trim().replace(/\.$/, '');
  return /^[+-]?\d{1,9}(?:\.\d{1,9})?$/.test(digits) ? Number(digits) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

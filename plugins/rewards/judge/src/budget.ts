/** @file What judging may cost. What was spent is counted in the cache folder too, so that a resumed run goes on counting. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '@espalier/plugin-kit';

export interface Budget {
  readonly requests?: number | undefined;
  readonly tokens?: number | undefined;
  readonly cost?: number | undefined;
  readonly then: 'stop' | 'fail';
}

export interface Spent {
  readonly input: number;
  readonly output: number;
}

export interface Price {
  readonly input: number;
  readonly output: number;
}

export class Purse {
  #requests = 0;
  #tokens = 0;
  #cost = 0;

  constructor(
    readonly budget: Budget | undefined,
    readonly price: Price | undefined,
    /** a line per paid request; undefined without a cache */
    readonly file: string | undefined,
  ) {
    if (file === undefined || !existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [input, output] = line.split(' ').map(Number);
      // a line that was cut off by a crash still was a request
      if (line !== '') this.#count({ input: input || 0, output: output || 0 });
    }
  }

  /** Takes a request out of the budget before it is sent. @throws plugin.budget_exhausted, plugin.failed */
  take(): void {
    const { requests = Infinity, tokens = Infinity, cost = Infinity, then } = this.budget ?? { then: 'stop' };
    const finding =
      this.#requests >= requests
        ? `${this.#requests} of ${requests} requests`
        : this.#tokens >= tokens
          ? `${this.#tokens} of ${tokens} tokens`
          : this.#cost >= cost
            ? `${this.#cost.toFixed(4)} of ${cost}`
            : undefined;
    if (finding === undefined) return void this.#requests++;
    const where = this.file === undefined ? '' : `, counted in ${this.file}`;
    throw new AppError(
      then === 'stop' ? 'plugin.budget_exhausted' : 'plugin.failed',
      `ask the judge: the budget is spent (${finding}${where}); raise \`budget\` and resume the run`,
    );
  }

  /** Counts what an answer cost; its request was taken before. */
  pay(spent: Spent): void {
    this.#requests--;
    this.#count(spent);
    if (this.file === undefined) return;
    mkdirSync(dirname(this.file), { recursive: true });
    appendFileSync(this.file, `${spent.input} ${spent.output}\n`);
  }

  #count({ input, output }: Spent): void {
    this.#requests++;
    this.#tokens += input + output;
    if (this.price !== undefined) this.#cost += (input * this.price.input + output * this.price.output) / 1e6;
  }
}

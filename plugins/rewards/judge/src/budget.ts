/** @file What judging may cost. What was spent is counted in the cache folder too, for resumed runs and all judges of the folder. */
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
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

/** What was spent in a folder, by the judges of this process and of others. */
class Ledger {
  requests = 0;
  input = 0;
  output = 0;
  /** requests of this process that are under way */
  pending = 0;
  #read = 0;

  constructor(
    /** a line per paid request */
    readonly file: string,
  ) {}

  add({ input, output }: Spent): void {
    mkdirSync(dirname(this.file), { recursive: true });
    appendFileSync(this.file, `${input} ${output}\n`);
  }

  /** Counts the lines that were written since it last read. */
  refresh(): void {
    const { file } = this;
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < this.#read) Object.assign(this, { requests: 0, input: 0, output: 0 });
    if (size < this.#read) this.#read = 0;
    if (size === this.#read) return;
    const bytes = Buffer.alloc(size - this.#read);
    const handle = openSync(file, 'r');
    try {
      readSync(handle, bytes, 0, bytes.length, this.#read);
    } finally {
      closeSync(handle);
    }
    const lines = bytes.toString('latin1').split('\n');
    // a line that was cut off by a crash still was a request
    if (lines.at(-1) !== '') appendFileSync(file, '\n');
    this.#read = size;
    for (const line of lines) {
      const [input, output] = line.split(' ').map(Number);
      if (line !== '') this.#count({ input: input || 0, output: output || 0 });
    }
  }

  #count({ input, output }: Spent): void {
    this.requests++;
    this.input += input;
    this.output += output;
  }
}

/** By file, of this process. */
const ledgers = new Map<string, Ledger>();

function ledgerOf(file: string): Ledger {
  const known = ledgers.get(file);
  if (known !== undefined) return known;
  const opened = new Ledger(file);
  ledgers.set(file, opened);
  return opened;
}

export class Purse {
  readonly #ledger: Ledger | undefined;

  constructor(
    readonly budget: Budget | undefined,
    readonly price: Price | undefined,
    /** undefined without a cache: nothing is counted, and there is no budget */
    file: string | undefined,
  ) {
    this.#ledger = file === undefined ? undefined : ledgerOf(file);
  }

  /** Takes a request out of the budget before it is sent. @throws plugin.budget_exhausted, plugin.failed */
  take(): void {
    const ledger = this.#ledger;
    if (ledger === undefined) return;
    const { requests = Infinity, tokens = Infinity, cost = Infinity, then } = this.budget ?? { then: 'stop' };
    const price = this.price ?? { input: 0, output: 0 };
    ledger.refresh();
    const asked = ledger.requests + ledger.pending;
    const used = ledger.input + ledger.output;
    const paid = (ledger.input * price.input + ledger.output * price.output) / 1e6;
    const finding =
      asked >= requests
        ? `${asked} of ${requests} requests`
        : used >= tokens
          ? `${used} of ${tokens} tokens`
          : paid >= cost
            ? `${paid.toFixed(4)} of ${cost}`
            : undefined;
    if (finding === undefined) return void ledger.pending++;
    throw new AppError(
      then === 'stop' ? 'plugin.budget_exhausted' : 'plugin.failed',
      `ask the judge: the budget is spent (${finding}, counted in ${ledger.file}); raise \`budget\` and resume the run`,
    );
  }

  /** Counts what an answer cost; its request was taken before. */
  pay(spent: Spent): void {
    if (this.#ledger === undefined) return;
    this.#ledger.pending--;
    this.#ledger.add(spent);
  }

  /** Puts a request back that was not sent. */
  putBack(): void {
    if (this.#ledger !== undefined) this.#ledger.pending--;
  }
}

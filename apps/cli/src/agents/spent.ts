/** @file What agents behind an API take: requests, tokens, money. */
import type { AgentOptions } from './agent-options.js';

export interface Spent {
  /** requests that were answered */
  readonly requests: number;
  /** tokens of the prompts */
  readonly input: number;
  /** tokens of the replies */
  readonly output: number;
  /** requests whose tokens the endpoint did not tell */
  readonly unmetered: number;
}

export const nothingSpent: Spent = { requests: 0, input: 0, output: 0, unmetered: 0 };

export const addSpent = (a: Spent, b: Spent): Spent => ({
  requests: a.requests + b.requests,
  input: a.input + b.input,
  output: a.output + b.output,
  unmetered: a.unmetered + b.unmetered,
});

/** In the currency of the price. */
export const costOf = (
  { input, output }: Pick<Spent, 'input' | 'output'>,
  price: AgentOptions['price'],
): number => (price === undefined ? 0 : (input * price.input + output * price.output) / 1e6);

/** Money as people read it. */
export const formatCost = (cost: number): string =>
  cost === 0 || cost >= 1 ? cost.toFixed(2) : cost.toPrecision(2);

type Limits = Pick<AgentOptions, 'budget' | 'price'>;

/**
 * Holds an agent to its budget: a request is sent only if it fits even at its largest, so that the budget is never
 * exceeded. What does not fit waits for those under way, which mostly take less.
 */
export class AgentBudget {
  #spent: Spent;
  #reserved = nothingSpent;
  #waiting: (() => void)[] = [];

  constructor(
    readonly limits: Limits,
    before: Spent,
  ) {
    this.#spent = before;
  }

  get spent(): Spent {
    return this.#spent;
  }

  /**
   * Reserves a request.
   *
   * @param most its largest numbers of tokens
   * @returns undefined, or why it does not fit
   */
  async reserve(most: Spent, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const finding = this.#find(most);
      if (finding === undefined) {
        this.#reserved = addSpent(this.#reserved, most);
        return undefined;
      }
      if (this.#reserved.requests === 0) return finding;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Puts what was taken in the place of what was reserved. */
  settle(most: Spent, taken: Spent): void {
    const { requests, input, output, unmetered } = this.#reserved;
    this.#reserved = {
      requests: requests - most.requests,
      input: input - most.input,
      output: output - most.output,
      unmetered: unmetered - most.unmetered,
    };
    this.#spent = addSpent(this.#spent, taken);
    for (const go of this.#waiting.splice(0)) go();
  }

  #find(most: Spent): string | undefined {
    const { budget, price } = this.limits;
    const { requests = Infinity, tokens = Infinity, cost = Infinity } = budget ?? {};
    const spent = this.#spent;
    const then = addSpent(addSpent(spent, this.#reserved), most);
    if (then.requests > requests) return `${spent.requests} of ${requests} requests`;
    const tokensOf = ({ input, output }: Spent): number => input + output;
    if (tokensOf(then) > tokens)
      return `${tokensOf(spent)} of ${tokens} tokens, and the next request may take ${tokensOf(most)}`;
    if (costOf(then, price) > cost)
      return `${formatCost(costOf(spent, price))} of ${cost}, and the next request may cost ${formatCost(costOf(most, price))}`;
    return undefined;
  }
}

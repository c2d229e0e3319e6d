import { AppError } from '@espalier/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';

/**
 * Costs that are known only during execution, such as those of values in the database: summed over all fields of an
 * operation, aliases included, and bounded by `graphql.maxCost`, as the costs known before are.
 */
@Injectable()
export class OperationBudget {
  private readonly spent = new WeakMap<object, number>();

  constructor(@Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'graphql'>) {}

  /**
   * Adds a cost before it is incurred.
   *
   * @param context of the operation, as its resolvers get it
   * @throws graphql.too_costly
   */
  spend(context: object, cost: number): void {
    const { maxCost } = this.options.graphql;
    const total = (this.spent.get(context) ?? 0) + Math.ceil(cost);
    this.spent.set(context, total);
    if (total > maxCost)
      throw new AppError(
        'graphql.too_costly',
        `execute the operation: what it reads costs ${total}; the limit is ${maxCost}, so ask for less at once`,
      );
  }

  /** Returns the budget of a single operation. */
  perOperation(): (cost: number) => void {
    const context = {};
    return (cost) => this.spend(context, cost);
  }
}

/** @file Lists in GraphQL: connections, and the arguments of their pages and orders. */
import type { Type } from '@nestjs/common';
import { ArgsType, Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import {
  defaultPageSize,
  directions,
  type Edge,
  maxPageSize,
  type OrderBy,
  type Page,
  PageInfo,
} from '../../core/database/page.js';
import { enumOf } from './enums.js';
import { countCost } from './limits/field-costs.js';
import { describeType } from './types/describe-type.js';

describeType(
  PageInfo,
  { description: 'Where a page begins and ends, and whether there is more.' },
  {
    startCursor: [
      () => String,
      { nullable: true, description: 'Pass it as `before` for the previous page; null on an empty page.' },
    ],
    endCursor: [
      () => String,
      { nullable: true, description: 'Pass it as `after` for the next page; null on an empty page.' },
    ],
    hasNextPage: [
      () => Boolean,
      { description: 'More items follow; with `last`, whether `before` or `after` was given.' },
    ],
    hasPreviousPage: [
      () => Boolean,
      { description: 'More items precede; with `first`, whether `after` or `before` was given.' },
    ],
  },
);

@ArgsType()
export class PageArgs {
  @Field(() => Int, {
    nullable: true,
    description: `How many at most from the beginning, 1 to ${maxPageSize}; default: ${defaultPageSize}.`,
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: '`endCursor` of a page: what follows it.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: 'How many at most from the end; instead of `first`.' })
  last?: number | null;

  @Field(() => String, { nullable: true, description: '`startCursor` of a page: what precedes it.' })
  before?: string | null;
}

/** Makes the connection type of a list of items. */
export function connectionOf<T>(item: Type<T>, name: string): Type<Page<T>> {
  @ObjectType(`${name}Edge`, { description: 'An item of a list with its cursor.' })
  class EdgeType implements Edge<T> {
    @Field(() => String, { description: 'Where the item is in the list.' })
    cursor!: string;

    @Field(() => item, { description: 'The item.' })
    node!: T;
  }

  @ObjectType(`${name}Connection`, { description: 'A page of a list.' })
  class ConnectionType implements Page<T> {
    @Field(() => [EdgeType], { description: 'The items with their cursors.' })
    edges!: Edge<T>[];

    @Field(() => [item], { description: 'The items, in the order of the list.' })
    nodes!: T[];

    @Field(() => PageInfo, { description: 'Where the page begins and ends.' })
    pageInfo!: PageInfo;

    @Field(() => Int, {
      description: 'How many items the whole list has; counted only when selected.',
      complexity: countCost,
      middleware: [({ source }) => (source as Page<T>).totalCount()],
    })
    totalCount!: () => Promise<number>;
  }
  return ConnectionType;
}

const OrderDirection = enumOf('OrderDirection', 'Direction of an order.', directions);

/** Makes the type of the `orderBy` argument of a list. @param fields what it can be ordered by, with descriptions */
export function orderOf<F extends string>(
  name: string,
  fields: Readonly<Record<F, string>>,
): Type<OrderBy<F>> {
  const OrderField = enumOf(`${name}OrderField`, 'What a list can be ordered by.', fields);

  @InputType(`${name}Order`, { description: 'Order of a list.' })
  class OrderType implements OrderBy<F> {
    @Field(() => OrderField, { description: 'What it is ordered by.' })
    field!: F;

    @Field(() => OrderDirection, { description: 'In which direction.' })
    direction!: 'asc' | 'desc';
  }
  return OrderType;
}

/** @file Pages in GraphQL: their arguments and their types. */
import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { type Page, PageInfo } from '../../core/database/page.js';
import { describeType } from './types/describe-type.js';

describeType(
  PageInfo,
  { description: 'Where a page ends, and whether there is more.' },
  {
    endCursor: [
      () => String,
      {
        nullable: true,
        description: 'Pass it as `after` to get the next page; null on an empty page.',
      },
    ],
    hasNextPage: [() => Boolean, { description: 'There is at least one item after this page.' }],
  },
);

@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 50, description: 'How many at most, 1 to 500.' })
  first: number = 50;

  @Field(() => String, {
    nullable: true,
    description: '`endCursor` of the page before; absent: the first page.',
  })
  after?: string;
}

/** Makes the GraphQL type of a page of items. */
export function pageOf<T>(item: Type<T>, name: string): Type<Page<T>> {
  @ObjectType(name, { description: `A page of a list.` })
  class PageType implements Page<T> {
    @Field(() => [item], { description: 'The items, in the order of the list.' })
    items!: T[];

    @Field(() => PageInfo, { description: 'Where the page ends.' })
    pageInfo!: PageInfo;
  }
  return PageType;
}

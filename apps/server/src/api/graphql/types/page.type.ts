import { PageInfo } from '../../../core/database/page.js';
import { describeType } from './describe-type.js';

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

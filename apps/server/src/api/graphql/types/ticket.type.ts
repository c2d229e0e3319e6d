import { Ticket } from '../../../core/access/tickets.js';
import { DateTimeScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  Ticket,
  { description: 'Stands for the key that it was created with, for one purpose and a minute.' },
  {
    ticket: [() => String, { description: 'The ticket; as secret as a key while it lasts.' }],
    expiresAt: [
      () => DateTimeScalar,
      { description: 'Until when a connection or download may begin with it.' },
    ],
    url: [
      () => String,
      { nullable: true, description: 'Of a download: the path with the ticket; null otherwise.' },
    ],
  },
);

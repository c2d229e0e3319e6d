import { ApiKey } from '../../../core/database/entities/api-key.js';
import { CreatedKey } from '../../../core/access/key-requests.js';
import { describeType } from './describe-type.js';

describeType(
  CreatedKey,
  { description: 'A new key, with its secret: this is the only time it is shown.' },
  {
    key: [() => ApiKey, { description: 'The key.' }],
    secret: [
      () => String,
      {
        description: 'Sent as `authorization: Bearer <secret>`. Keep it; it is stored nowhere.',
      },
    ],
  },
);

import { ID, Int } from '@nestjs/graphql';
import { DateTimeScalar } from '../scalars.js';
import { RoleEnum } from '../enums.js';
import { ApiKey } from '../../../core/database/entities/api-key.js';
import { CreatedKey } from '../../../core/access/key-requests.js';
import { describeType } from './describe-type.js';

describeType(
  ApiKey,
  {
    description:
      'A key to this server. The secret itself is shown once, when the key is made, and stored only as a hash.',
  },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    name: [() => String, { description: 'Who or what uses it.' }],
    role: [() => RoleEnum, { description: 'What it may do.' }],
    projects: [() => [String], { description: 'Projects it may see; `*` stands for all.' }],
    prefix: [() => String, { description: 'Beginning of the secret, to recognise it by.' }],
    maxRunning: [
      () => Int,
      { nullable: true, description: 'Jobs of this key that may run at once; null: no limit.' },
    ],
    createdAt: [() => DateTimeScalar, { description: 'When it was made.' }],
    lastUsedAt: [
      () => DateTimeScalar,
      { nullable: true, description: 'When it was last used, to the minute.' },
    ],
    revokedAt: [() => DateTimeScalar, { nullable: true, description: 'When it was revoked.' }],
  },
);

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

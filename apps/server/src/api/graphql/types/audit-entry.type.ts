import { ID, Int } from '@nestjs/graphql';
import { DateTimeScalar, JsonScalar } from '../scalars.js';
import { AuditEntry } from '../../../core/database/entities/audit-entry.js';
import { describeType } from './describe-type.js';

describeType(
  AuditEntry,
  { description: 'Who did what, or tried to. Only ever appended.' },
  {
    id: [() => Int, { description: 'In the order they happened.' }],
    time: [() => DateTimeScalar, { description: 'When.' }],
    keyId: [() => ID, { description: 'Id of the key; empty where none was given.' }],
    keyName: [() => String, { description: 'Name of the key.' }],
    action: [() => String, { description: 'What was asked for, such as run.create.' }],
    subject: [() => String, { description: 'What it was asked of, mostly an id.' }],
    outcome: [() => String, { description: 'The code of the refusal, or done.' }],
    detail: [() => JsonScalar, { description: 'Further facts.' }],
    hash: [() => String, { description: 'sha256 over this entry and the hash of the one before.' }],
  },
);

/** @file Keys, tickets, and the audit log. */
import { Field, type FieldMiddleware, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { CreatedKey } from '../../../core/access/key-requests.js';
import { ShownView } from '../../../core/access/shown-views.js';
import { Ticket } from '../../../core/access/tickets.js';
import { ApiKey } from '../../../core/database/entities/api-key.js';
import { AuditEntry } from '../../../core/database/entities/audit-entry.js';
import { Project, StateCount } from '../../../core/runs/project-queries.service.js';
import { RunGroup } from '../../../core/runs/run-group-queries.service.js';
import { Allowance, KeyAllowances, Me } from '../../../core/scheduling/usage-quotas.js';
import { JobStateEnum, RoleEnum } from '../enums.js';
import { listCost } from '../limits/field-costs.js';
import { DateTimeScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  ApiKey,
  {
    description:
      'A key to this server. The secret itself is shown once, when the key is created, and stored only as a hash.',
  },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    name: [() => String, { description: 'Who or what uses it.' }],
    role: [() => RoleEnum, { description: 'What it may do.' }],
    projects: [() => [String], { description: 'Projects it may see; `*` stands for all.' }],
    prefix: [() => String, { description: 'First characters of the secret, to recognise it by.' }],
    maxRunning: [
      () => Int,
      { nullable: true, description: 'Jobs of this key that may run at once; null: no limit.' },
    ],
    createdAt: [() => DateTimeScalar, { description: 'When it was created.' }],
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
        description: 'Sent as `authorization: Bearer <secret>`. Save it; it is not stored.',
      },
    ],
  },
);

describeType(
  ShownView,
  { description: 'A view that the open pages of a key were asked to show.' },
  {
    path: [() => String, { description: 'Its path and search parameters in the page.' }],
    note: [() => String, { nullable: true, description: 'Why; shown above the view.' }],
    pages: [() => Int, { description: 'Open pages with the same key, which were asked.' }],
  },
);

describeType(
  Allowance,
  { description: 'A limit of a key, and how much of it is left.' },
  {
    limit: [() => Float, { nullable: true, description: 'At most; null: no limit.' }],
    used: [() => Float, { description: 'Used now.' }],
    left: [() => Float, { nullable: true, description: 'Left now; null: no limit.' }],
  },
);

describeType(
  KeyAllowances,
  { description: 'The limits of a key, those of keys it replaced included.' },
  {
    requestsPerMinute: [() => Allowance, { description: 'Requests in the current minute.' }],
    sentKbPerMinute: [() => Allowance, { description: 'Bodies sent in the current minute, KiB.' }],
    runningJobs: [() => Allowance, { description: 'Jobs that have devices now.' }],
    queuedJobs: [() => Allowance, { description: 'Jobs that wait or are paused.' }],
    storedBytes: [() => Allowance, { description: 'Artifacts of its runs, half a minute ago at most.' }],
  },
);

describeType(
  StateCount,
  { description: 'How many runs are in a state.' },
  {
    state: [() => JobStateEnum, { description: 'The state.' }],
    runs: [() => Int, { description: 'Runs in it.' }],
  },
);

describeType(
  RunGroup,
  { description: 'A group of runs, such as a sweep.' },
  {
    project: [() => String, { description: 'Their project.' }],
    name: [() => String, { description: 'Its name.' }],
    runs: [() => Int, { description: 'Its runs, whatever their state.' }],
    states: [() => [StateCount], { description: 'Its runs by state; states without any are left out.' }],
    newestRunAt: [() => DateTimeScalar, { description: 'When its newest run was created.' }],
  },
);

describeType(
  Project,
  { description: 'A project that has runs.' },
  {
    name: [() => String, { description: 'Its name.' }],
    runs: [() => Int, { description: 'Its runs, whatever their state.' }],
    states: [() => [StateCount], { description: 'Its runs by state; states without any are left out.' }],
    newestRunAt: [() => DateTimeScalar, { description: 'When its newest run was created.' }],
  },
);

describeType(
  Me,
  { description: 'The key that a request came with.' },
  {
    keyId: [() => ID, { description: 'Id of the key.' }],
    name: [() => String, { description: 'Name of the key.' }],
    role: [() => RoleEnum, { description: 'What it may do.' }],
    projects: [() => [String], { description: 'Projects it may see; `*` stands for all.' }],
    limits: [
      () => KeyAllowances,
      { description: 'Its limits, and what is left of them.', complexity: listCost },
    ],
  },
);

describeType(
  Ticket,
  { description: 'Stands for the key that it was created with, for one purpose and a minute.' },
  {
    ticket: [() => String, { description: 'The ticket; as secret as a key while it lasts.' }],
    expiresAt: [
      () => DateTimeScalar,
      { description: 'Until when a connection or download may start with it.' },
    ],
    url: [
      () => String,
      { nullable: true, description: 'Of a download: the path with the ticket; null otherwise.' },
    ],
  },
);

@ObjectType({ description: 'A detail of an action, such as one of its arguments.' })
class AuditDetail {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its value as text; anything but text as JSON.' })
  value!: string;
}

/** Facts are stored by name. */
const listDetails: FieldMiddleware = async (_context, next) =>
  Object.entries((await next()) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): AuditDetail => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    }));

describeType(
  AuditEntry,
  { description: 'Who did what, or tried to. Only ever appended.' },
  {
    id: [() => Int, { description: 'In the order they happened.' }],
    time: [() => DateTimeScalar, { description: 'When.' }],
    keyId: [() => ID, { description: 'Id of the key; empty where none was given.' }],
    keyName: [() => String, { description: 'Name of the key.' }],
    action: [() => String, { description: 'The action, such as run.create.' }],
    subject: [() => String, { description: 'Its subject, mostly an id.' }],
    outcome: [() => String, { description: 'The code of the refusal, or done.' }],
    detail: [() => [AuditDetail], { description: 'Further details, by name.', middleware: [listDetails] }],
    hash: [() => String, { description: 'sha256 over this entry and the hash of the one before.' }],
  },
);

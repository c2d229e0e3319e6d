import { Float, ID, Int } from '@nestjs/graphql';
import { Project, StateCount } from '../../../core/runs/project-queries.service.js';
import { Allowance, KeyAllowances, Me } from '../../../core/scheduling/key-limits.js';
import { JobStateEnum, RoleEnum } from '../enums.js';
import { listCost } from '../field-costs.js';
import { DateTimeScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  Allowance,
  { description: 'How much of something a key may have, and how much of it is left.' },
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
    requestsPerMinute: [() => Allowance, { description: 'Requests in the present minute.' }],
    sentKbPerMinute: [() => Allowance, { description: 'Bodies sent in the present minute, KiB.' }],
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

/** @file The enums of the API. */
import { stopReasons } from '@espalier/contracts';
import { jobStates, roles } from '@espalier/protocol';
import { registerEnumType } from '@nestjs/graphql';
import { trajectorySorts } from '../../core/history/trajectories/trajectory-request.js';

/** Registers an enum whose values are the keys of what describes them. */
function enumOf<K extends string>(name: string, description: string, values: Readonly<Record<K, string>>) {
  const names = Object.fromEntries(Object.keys(values).map((key) => [key, key])) as { [P in K]: P };
  const valuesMap = Object.fromEntries(
    Object.entries<string>(values).map(([key, text]) => [key, { description: text }]),
  ) as { [P in K]: { description: string } };
  registerEnumType(names, { name, description, valuesMap });
  return names;
}

export const JobStateEnum = enumOf(
  'JobState',
  'Where a job stands. A run stands where its training job stands.',
  jobStates,
);
export const RoleEnum = enumOf('Role', 'What a key may do.', roles);
export const TrajectorySortEnum = enumOf(
  'TrajectorySort',
  'Order of a list of trajectories.',
  trajectorySorts,
);
export const StopReasonEnum = enumOf('StopReason', 'Why a trajectory ended.', stopReasons);

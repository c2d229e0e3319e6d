import { jobStates, type JobState } from '@espalier/protocol';
import { registerEnumType } from '@nestjs/graphql';

const stateNames = Object.fromEntries(Object.keys(jobStates).map((state) => [state, state])) as {
  [S in JobState]: S;
};
registerEnumType(stateNames, {
  name: 'JobState',
  description: 'Where a job stands. A run stands where its training job stands.',
  valuesMap: Object.fromEntries(
    Object.entries(jobStates).map(([state, description]) => [state, { description }]),
  ),
});
export { stateNames as JobStateEnum };

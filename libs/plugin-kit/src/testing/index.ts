export { type AlgorithmSuiteOptions, testAlgorithm } from './algorithm.suite.js';
export { type EnvironmentSuiteOptions, testEnvironment } from './environment.suite.js';
export { type ModelSuiteOptions, testModel } from './model.suite.js';
export { type RewardSuiteOptions, testReward } from './reward.suite.js';
export {
  sampleReply,
  sampleTrajectories,
  sampleTrajectory,
  sampleTrajectoryOf,
  sampleTurn,
} from './sample-trajectory.js';

export { type AlgorithmSuiteOptions, testAlgorithm } from './algorithm.suite.js';
export { type EnvironmentSuiteOptions, testEnvironment } from './environment.suite.js';
export { type RewardSuiteOptions, testReward } from './reward.suite.js';
export { sampleTrajectories, sampleTrajectory, sampleTurn } from './sample-trajectory.js';

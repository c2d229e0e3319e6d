import { testEnvironment } from '@espalier/plugin-kit/testing';
import mcp from './index.js';

testEnvironment(mcp, { oracleSolves: 1 });
testEnvironment(mcp, { params: { repeatGoal: true, maxObservation: 60 }, oracleSolves: 1 });

import { testEnvironment } from '@espalier/plugin-kit/testing';
import agentProgram from './index.js';

testEnvironment(agentProgram, { params: { command: ['node', 'agent.mjs'] } });
testEnvironment(agentProgram, { params: { port: 4601, keyVariable: 'AGENT_KEY' } });

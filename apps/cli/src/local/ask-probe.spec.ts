import { expect, it } from 'vitest';
import { describeEnd } from './ask-probe.js';

it.each([
  [
    ['openvino', 'SIGILL', null],
    'open openvino: its libraries ended the process that opened them, by SIGILL: the processor lacks an instruction that they were built with; leave device.driver and device.precision out',
  ],
  [
    ['openvino', 'SIGSEGV', null],
    'open openvino: its libraries ended the process that opened them, by SIGSEGV; run espalier setup openvino --force, or leave device.driver and device.precision out',
  ],
  [
    ['cuda', null, 134],
    'open cuda: its libraries ended the process that opened them, by exit code 134; run espalier setup cuda --force, or leave device.provider out',
  ],
] as const)('of %j is said: %s', ([library, signal, code], sentence) => {
  expect(describeEnd(library, signal, code)).toBe(sentence);
});

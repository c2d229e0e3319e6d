/**
 * @file What a GPU does with Espalier's own graphs, one JSON object per figure:
 *
 *     node tools/gpu-hour/measure.mjs [--device cuda|cpu|stand-in] [--tiny] [--parts …] [--models …] [--precisions …]
 *
 * `gradients`: those of a training step beside the CPU's, and how many results have other bits in a second run; `placement`:
 * operators that are computed on the CPU all the same; `engine`: steps and samples beside the CPU's; `train`, `decode`: speed.
 * The stand-in has memory of its own and computes with the CPU's kernels: it tries the program without a GPU.
 */
import { parseArgs } from 'node:util';
import { measureDecode, measureTrain } from './measure-speed.mjs';
import { compareEngines, compareGradients, listPlacement } from './compare-with-cpu.mjs';
import { readShapes } from './models.mjs';

const { values } = parseArgs({
  options: {
    device: { type: 'string', default: 'cuda' },
    tiny: { type: 'boolean', default: false },
    parts: { type: 'string', default: 'gradients,placement,engine,train,decode' },
    models: { type: 'string' },
    precisions: { type: 'string', default: 'float32,tf32,bf16' },
  },
});
const parts = {
  gradients: compareGradients,
  placement: listPlacement,
  engine: compareEngines,
  train: measureTrain,
  decode: measureDecode,
};
const list = (text) => text.split(',').filter((part) => part !== '');
const chosen = list(values.parts);
const unknown = chosen.find((part) => parts[part] === undefined);
if (unknown !== undefined || !['cuda', 'cpu', 'stand-in'].includes(values.device)) {
  const found = unknown === undefined ? `--device ${values.device}` : `--parts ${unknown}`;
  console.error(`${found}: expected cuda, cpu or stand-in; ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
if (values.device === 'stand-in') {
  const { useStandInDevice } = await import('@espalier/runtime/testing');
  await useStandInDevice();
}
const provider = values.device === 'cpu' ? 'cpu' : 'cuda';
const shapes = readShapes(values.tiny);
const context = {
  provider,
  shapes,
  models: values.models === undefined ? Object.keys(shapes.models) : list(values.models),
  // the CPU, and so the stand-in, has no other
  precisions: values.device === 'cuda' ? list(values.precisions) : ['float32'],
  report: (row) => console.log(JSON.stringify({ device: values.device, ...row })),
};
let isFailed = false;
for (const part of chosen) {
  const begin = performance.now();
  try {
    await parts[part](context);
  } catch (error) {
    isFailed = true;
    context.report({ part, error: error.message });
  }
  context.report({ part, seconds: Math.round((performance.now() - begin) / 100) / 10 });
}
process.exit(isFailed ? 1 : 0);

// Prints our losses as graphs, with the numbers that go with them; make_traced_losses.py reads that.
import { tracedData } from '../../../libs/tinker/dist/loss/wire-data.js';
import { traceLoss } from '../../../libs/tinker/dist/loss/trace-loss.js';
import { tracedBatch, tracedCases } from '../../../libs/tinker/dist/testing/traced-cases.js';

const cases = Object.entries(tracedCases).map(([title, loss]) => {
  const traced = traceLoss(loss);
  const { data, logprobs } = tracedBatch(loss.columns);
  const wire = tracedData(data, traced, loss.columns).data;
  return {
    title,
    ...traced,
    data: wire.map(({ inputs: { target_tokens: targets, ...inputs } }, i) => {
      const all = new Array(targets.data.length).fill(-3);
      data[i].positions.forEach((t, n) => (all[t - 1] = logprobs[i][n]));
      return {
        logprobs: all,
        ...Object.fromEntries(Object.entries(inputs).map(([name, { data: values }]) => [name, [...values]])),
      };
    }),
  };
});
process.stdout.write(JSON.stringify(cases));

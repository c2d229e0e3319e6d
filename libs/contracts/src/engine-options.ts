/** @file The engine of a run that is not computed in the training process. */
import { z } from 'zod';
import { inOptimizerSteps } from './run-options.js';

/** The engine of a run; a section that is absent means the embedded one. */
export const engine = z.strictObject({
  use: z.literal('tinker').describe('a server of the Tinker API, such as SkyRL or `espalier engine serve`'),
  url: z
    .url({ protocol: /^https?$/, error: 'expected http:// or https:// with a host' })
    .refine(
      (url) => !/^https?:\/\/[^/]*@/.test(url),
      'a URL is stored with the run: leave out user and password',
    )
    .describe('root of the server; its key is read from the variable TINKER_API_KEY'),
  model: z
    .string()
    .min(1)
    .describe('name of the base model on the server; `model` of the run gives its tokenizer and limits'),
  losses: z
    .enum(['named', 'linear'])
    .default('named')
    .describe(
      'named: losses that the server knows go by their names, all others as graphs where the server computes such, else linearised; linear: all linearised, which costs a forward pass more and allows several batches in a step on every server',
    ),
  reduction: z
    .enum(['measured', 'sum'])
    .default('measured')
    .describe(
      'how the server makes one number of the losses of tokens; measured: by the gradient norms that it reports; sum: as the API defines it, taken on trust, for a server that reports none',
    ),
  saveEvery: z
    .int()
    .min(1)
    .default(10)
    .meta(inOptimizerSteps)
    .describe(
      'optimizer steps after which weights are saved on the server, so that little is repeated if it dies',
    ),
  patienceSeconds: z
    .int()
    .min(1)
    .max(86400)
    .default(300)
    .meta({ unit: 's' })
    .describe('how long the server may be away or refuse for being busy before the run stops, to be resumed'),
  resultSeconds: z
    .int()
    .min(1)
    .max(86400)
    .default(3600)
    .meta({ unit: 's' })
    .describe('how long the server may work on one request before the run stops, to be resumed'),
});

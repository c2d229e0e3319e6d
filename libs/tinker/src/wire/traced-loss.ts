/**
 * @file A loss as data: the graph that torch.fx traces, node by node, in the JSON form 1 of the Tinker API (SDK 0.38). It is
 * applied to each sequence apart, and the results are added up.
 */
import { z } from 'zod';

const input = z.object({
  name: z.string().regex(/^[a-z_][a-z0-9_]{0,63}$/, 'expected small letters, digits and _'),
  /** 0: one number; 1: one for each token; 2: several for each token */
  rank: z.int().min(0).max(2),
});

const node = z.object({
  op: z.enum(['placeholder', 'get_attr', 'call_function', 'call_method', 'call_module', 'output']),
  /** unique in the graph */
  name: z.string().min(1).max(200),
  /** name of a parameter, a function such as `torch.exp`, or a method */
  target: z.string().min(1).max(200),
  /**
   * JSON values stand for themselves, lists for lists; one-key objects for the rest: `{ ref: name of a node }`, `{ tuple }`,
   * `{ dict }`, `{ slice }`, `{ ellipsis }`, `{ float: 'inf' }`, `{ dtype }`, `{ device }`
   */
  args: z.array(z.unknown()).max(64).default([]),
  kwargs: z.record(z.string(), z.unknown()).default({}),
});

export const tracedLoss = z.object({
  name: z.string().min(1).max(200),
  /** `logprobs` first, those of the targets; then entries of a datum */
  inputs: z.array(input).min(1).max(16),
  graph: z.object({ format: z.literal(1), nodes: z.array(node).min(1).max(5000) }),
});

export type TracedLoss = z.output<typeof tracedLoss>;
export type TracedNode = z.output<typeof node>;

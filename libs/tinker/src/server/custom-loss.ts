/**
 * @file A traced loss, compiled once and evaluated on each sequence apart, in float64: its value, what it reports, and its
 * gradient with respect to the log-probabilities. The pass over the model is then linear in that gradient
 * (loss/loss-route.ts says why that is exact).
 */
import { AppError } from '@espalier/contracts';
import { cast, dimValue, evaluate, type Feeds, gradient, Graph, type Tensor } from '@espalier/graph';
import { z } from 'zod';
import type { WireTensor } from '../wire/protobuf.js';
import type { TracedLoss, TracedNode } from '../wire/traced-loss.js';
import { findFunction, findMethod, isTensorValue, knownFunctions, type Value } from './torch-functions.js';

export interface EvaluatedLoss {
  readonly loss: number;
  /** by name, such as `custom/ratio:mean` */
  readonly metrics: Readonly<Record<string, number>>;
  readonly gradient: Float32Array; // [T]
}

export interface CustomLoss {
  readonly name: string;
  /**
   * @param logprobs of the targets, [T]
   * @throws engine.invalid_request where an input is missing or of another length, engine.not_finite
   */
  evaluate(
    place: string,
    logprobs: Float32Array,
    inputs: Readonly<Record<string, WireTensor>>,
  ): EvaluatedLoss;
}

const metricName = /^custom\/[a-z0-9_./-]{1,64}:(?:sum|mean)$/;

/** Compiles a traced loss. @throws engine.invalid_request, engine.unsupported */
export function compileLoss(traced: TracedLoss): CustomLoss {
  const { name, inputs } = traced;
  const [first] = inputs;
  if (first?.name !== 'logprobs' || first.rank !== 1)
    throw refusal(name, 'its first input must be logprobs, one for each token', 'engine.invalid_request');
  if (new Set(inputs.map((one) => one.name)).size < inputs.length)
    throw refusal(name, 'two inputs have one name', 'engine.invalid_request');
  const wide = inputs.find(({ rank }) => rank > 1);
  if (wide !== undefined)
    throw refusal(name, `input ${wide.name} has several values a token; this server takes one`);
  const graph = build(traced);
  return { name, evaluate: (place, logprobs, given) => run(traced, graph, place, logprobs, given) };
}

function build({ name, inputs, graph: { nodes } }: TracedLoss): Graph {
  const graph = new Graph();
  const tensors = inputs.map(({ name: input, rank }) =>
    graph.input(input, 'float32', rank === 0 ? [] : ['tokens']),
  );
  const values = new Map<string, Value>();
  let placeholders = 0;
  for (const node of nodes) {
    if (values.has(node.name))
      throw refusal(name, `two nodes have the name ${node.name}`, 'engine.invalid_request');
    if (node.op === 'output') {
      setOutputs(name, graph, tensors[0] as Tensor, readReturned(name, node, values));
      return graph;
    }
    if (node.op === 'placeholder') values.set(node.name, tensors[placeholders++]);
    else values.set(node.name, call(name, graph, node, values));
  }
  throw refusal(name, 'its graph has no output', 'engine.invalid_request');
}

interface Returned {
  readonly loss: Value;
  readonly metrics: Readonly<Record<string, Value>>;
}

const returned = z.object({
  tuple: z.tuple([z.unknown(), z.object({ dict: z.record(z.string(), z.unknown()) })]),
});

function readReturned(name: string, node: TracedNode, values: ReadonlyMap<string, Value>): Returned {
  const parsed = returned.safeParse(node.args[0]);
  if (!parsed.success)
    throw refusal(name, 'it must return a loss and a dict of metrics', 'engine.invalid_request');
  const [loss, { dict }] = parsed.data.tuple;
  const metrics = Object.entries(dict).map(([key, one]) => [key, resolve(name, node, one, values)] as const);
  return { loss: resolve(name, node, loss, values), metrics: Object.fromEntries(metrics) };
}

/** What the loss returns, as outputs of the graph. */
function setOutputs(name: string, graph: Graph, logprobs: Tensor, { loss, metrics }: Returned): void {
  const single = (what: string, value: Value): Tensor => {
    if (isTensorValue(value) && value.rank === 0) return cast(value, 'float32');
    throw refusal(
      name,
      `${what} is no tensor of a single number; reduce it, for example with sum()`,
      'engine.invalid_request',
    );
  };
  const value = graph.output('loss', single('its loss', loss));
  graph.output('gradient', gradient(value, [logprobs])[0] as Tensor);
  for (const [key, metric] of Object.entries(metrics)) {
    if (!metricName.test(key))
      throw refusal(
        name,
        `metric "${key}": expected a name such as custom/ratio:mean`,
        'engine.invalid_request',
      );
    graph.output(key, single(`metric ${key}`, metric));
  }
}

function call(name: string, graph: Graph, node: TracedNode, values: ReadonlyMap<string, Value>): Value {
  const args = node.args.map((argument) => resolve(name, node, argument, values));
  const special = sizeOf(graph, node, args);
  if (special !== undefined) return special;
  const found =
    node.op === 'call_function'
      ? findFunction(node.target)
      : node.op === 'call_method'
        ? findMethod(node.target)
        : undefined;
  const refuse = (reason: string): never => {
    throw refusal(name, `node ${node.name}, ${node.target}: ${reason}`);
  };
  if (found === undefined)
    return refuse(`this server does not know it; it knows ${knownFunctions.join(', ')}`);
  const { parameters } = found;
  if (args.length > parameters.length) refuse(`${args.length} arguments; it takes ${parameters.join(', ')}`);
  const named = Object.entries(node.kwargs).map(([key, argument]) => {
    if (!parameters.includes(key)) refuse(`it has no parameter ${key}, but ${parameters.join(', ')}`);
    return [key, resolve(name, node, argument, values)] as const;
  });
  const given = Object.fromEntries([
    ...args.map((value, i) => [parameters[i] as string, value] as const),
    ...named,
  ]);
  try {
    return found.build(given, refuse);
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('graph.')) return refuse(error.message);
    throw error;
  }
}

/** What a loss can ask of a tensor beside its entries: its shape, its length, its dtype. */
function sizeOf(graph: Graph, { op, target }: TracedNode, [of, what]: readonly Value[]): Value {
  if (
    Array.isArray(of) &&
    op === 'call_function' &&
    target === 'operator.getitem' &&
    typeof what === 'number'
  )
    return (of as readonly Value[]).at(what) ?? undefined;
  if (!isTensorValue(of)) return undefined;
  const sizes = (): Tensor[] => of.shape.map((size) => cast(dimValue(graph, size), 'float32'));
  const length = (): Tensor => sizes()[0] ?? graph.constant(1, 'float32');
  if (op === 'call_method' && (target === 'numel' || target === 'nelement')) return length();
  if (op === 'call_method' && target === 'size') return what === undefined ? sizes() : length();
  if (target === 'torch.numel') return length();
  if (op !== 'call_function' || target !== 'getattr') return undefined;
  if (what === 'shape') return sizes();
  if (what === 'dtype') return { kind: 'dtype', name: of.dtype };
  if (what === 'device') return { kind: 'device', name: 'cpu' };
  return undefined;
}

/** An argument of the wire as a value. @throws engine.invalid_request, engine.unsupported */
function resolve(
  name: string,
  node: TracedNode,
  argument: unknown,
  values: ReadonlyMap<string, Value>,
): Value {
  const inner = (one: unknown): Value => resolve(name, node, one, values);
  if (argument === null || argument === undefined) return null;
  if (typeof argument === 'number' || typeof argument === 'string' || typeof argument === 'boolean')
    return argument;
  if (Array.isArray(argument)) return argument.map(inner);
  const [[kind, value] = ['', undefined], ...others] = Object.entries(argument as object);
  const place = `node ${node.name}`;
  if (others.length > 0)
    throw refusal(name, `${place}: an argument with several keys`, 'engine.invalid_request');
  if (kind === 'ref' && typeof value === 'string') {
    if (values.has(value)) return values.get(value);
    throw refusal(name, `${place} refers to ${value}, which is no earlier node`, 'engine.invalid_request');
  }
  if (kind === 'tuple' && Array.isArray(value)) return value.map(inner);
  if (kind === 'float') return value === 'inf' ? Infinity : value === '-inf' ? -Infinity : Number.NaN;
  if ((kind === 'dtype' || kind === 'device') && typeof value === 'string') return { kind, name: value };
  throw refusal(name, `${place}: an argument of the kind "${kind}"; indices of tensors are not supported`);
}

function run(
  { name, inputs }: TracedLoss,
  graph: Graph,
  place: string,
  logprobs: Float32Array,
  given: Readonly<Record<string, WireTensor>>,
): EvaluatedLoss {
  const feeds: Record<string, Feeds[string]> = { logprobs: { shape: [logprobs.length], values: logprobs } };
  for (const { name: input, rank } of inputs.slice(1)) {
    const found = given[input];
    const length = rank === 0 ? 1 : logprobs.length;
    if (found === undefined || found.data.length !== length)
      throw refusal(
        name,
        `${place} has ${found === undefined ? 'no' : found.data.length} ${input}; expected ${length}`,
        'engine.invalid_request',
      );
    feeds[input] = { shape: rank === 0 ? [] : [length], values: found.data };
  }
  const { loss, gradient: slope, ...metrics } = evaluate(graph, feeds);
  const value = loss?.values[0] ?? Number.NaN;
  const result = Float32Array.from(slope?.values ?? []);
  if (!Number.isFinite(value) || !result.every(Number.isFinite))
    throw new AppError(
      'engine.not_finite',
      `loss "${name}": of ${place} it is ${value}, or its gradient is not finite; nothing was added`,
    );
  return {
    loss: value,
    metrics: Object.fromEntries(
      Object.entries(metrics).map(([key, { values }]) => [key, values[0] ?? Number.NaN]),
    ),
    gradient: result,
  };
}

const refusal = (
  name: string,
  reason: string,
  code: 'engine.unsupported' | 'engine.invalid_request' = 'engine.unsupported',
): AppError => new AppError(code, `loss "${name}": ${reason}`);

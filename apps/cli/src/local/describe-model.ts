/** @file What is known about a model without computing with it: of a model folder, or of a GGUF file. */
import {
  createTokenizer,
  estimateModel,
  loadTokenizer,
  type ModelConfig,
  openModelFolder,
} from '@espalier/model';
import {
  describeHeads,
  loadTokenizerFiles,
  openGgufModel,
  templateText,
  type WeightsHead,
} from '@espalier/model/conversion';
import { isFile } from './named-model.js';

export interface ModelDescription {
  readonly path: string;
  readonly kind: 'folder' | 'gguf';
  readonly family: string;
  readonly parameters: number;
  /** parameters by their number format in the file */
  readonly formats: Readonly<Record<string, number>>;
  readonly shape: ModelConfig['shape'];
  readonly tokenizer: {
    readonly type: string;
    readonly vocabularySize: number;
    readonly stopTokens: readonly { readonly id: number; readonly text: string }[];
    readonly template: string | null;
  };
  /** estimates, in bytes */
  readonly memory: {
    readonly sampling: number;
    readonly training: number;
    /** sampled at once */
    readonly sequences: number;
    readonly tokens: number;
    /** of a micro-batch, trained with all weights */
    readonly batchTokens: number;
  };
}

/** What the estimates of memory are for. */
const sequences = 16;
const mostTokens = 1024;
const batchTokens = 2048;

/**
 * Describes a model.
 *
 * @param place the base of an adapter; heads of its weight files, where these are not in the folder
 * @throws model.* of a folder or file that cannot be used
 */
export function describeModel(path: string, place: Place = {}): ModelDescription {
  const isGguf = isFile(path);
  const found = isGguf ? describeGguf(path) : describeFolder(path, place);
  const { config, formats, files, stopTokens } = found;
  const tokenizer = createTokenizer(files, path, { needsTemplate: false });
  return {
    path,
    kind: isGguf ? 'gguf' : 'folder',
    family: config.family.modelType,
    parameters: Object.values(formats).reduce((sum, count) => sum + count, 0),
    formats,
    shape: config.shape,
    tokenizer: {
      type: String((files.tokenizer['model'] as { readonly type?: unknown }).type ?? 'BPE'),
      vocabularySize: tokenizer.vocabularySize,
      stopTokens: stopTokens.map((id) => ({ id, text: tokenizer.decode([id]) })),
      template: templateText(files.config) ?? null,
    },
    memory: estimateMemory(config),
  };
}

type Found = Pick<ModelDescription, 'formats'> & {
  readonly config: ModelConfig;
  readonly files: ReturnType<typeof loadTokenizerFiles>;
  readonly stopTokens: readonly number[];
};

function describeGguf(path: string): Found {
  const {
    config,
    tokenizer: files,
    stopTokens,
    weights,
    close,
  } = openGgufModel(path, { needsTemplate: false });
  close();
  const entries = [...weights.values()].map(({ format, shape }) => [format, shape] as const);
  return { config, files, stopTokens, formats: countFormats(entries) };
}

interface Place {
  readonly base?: string | undefined;
  readonly heads?: readonly WeightsHead[] | undefined;
}

function describeFolder(folder: string, { base, heads }: Place): Found {
  const { config, shapes, formats } =
    heads === undefined ? describeFiles(folder, base) : describeHeads(folder, heads);
  const entries = [...shapes].map(([name, shape]) => [formats.get(name) ?? '', shape] as const);
  return {
    config,
    formats: countFormats(entries),
    files: loadTokenizerFiles(folder),
    stopTokens: loadTokenizer(folder, { needsTemplate: false }).stopTokens,
  };
}

function describeFiles(folder: string, base: string | undefined): ReturnType<typeof openModelFolder> {
  const opened = openModelFolder(folder, base);
  opened.close();
  return opened;
}

function countFormats(weights: readonly (readonly [string, readonly number[]])[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [format, shape] of weights)
    counts[format] = (counts[format] ?? 0) + shape.reduce((product, extent) => product * extent, 1);
  return counts;
}

function estimateMemory(config: ModelConfig): ModelDescription['memory'] {
  const tokens = Math.min(config.shape.contextLength, mostTokens);
  const estimate = estimateModel(config, { batchTokens, contextLength: tokens, rows: sequences });
  const { weightBytes, samplingWeightBytes, cacheBytes, gradientBytes, momentBytes, activationBytes } =
    estimate;
  const sampling = weightBytes + samplingWeightBytes + cacheBytes;
  return {
    sampling,
    training: sampling + gradientBytes + momentBytes + activationBytes,
    sequences,
    tokens,
    batchTokens,
  };
}

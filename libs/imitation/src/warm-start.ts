/**
 * @file Trains a model to use the prompt format: new tokenizer and weights (or a given model), then imitation of the
 * environments' oracles, with the given noise, in exactly the tokens that rollouts produce: prepare, teach, check,
 * publish. Sampling only measures. Until it is complete, everything is in `<out>.work`.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicyEngine, Tokenizer, WarmStartSpec } from '@espalier/contracts';
import { isModelChoice } from '@espalier/contracts/model-choice';
import {
  loadModelConfig,
  loadModelFolder,
  loadTokenizer,
  type ModelConfig,
  saveModelFolder,
} from '@espalier/model';
import { saveWholeFile } from '@espalier/files';
import { learningRateAt } from '@espalier/optimizer';
import { modelFolderOf } from '@espalier/trainer';
import type { PluginLookup } from '@espalier/trainer';
import { createCurriculum, type Curriculum } from './curriculum.js';
import { type Demonstration, resolveDemonstrations } from './demonstration.js';
import { checkDemonstrations, type DemonstrationResult } from './demonstration-check.js';
import { countParameters, requireDiskSpace } from './disk-space.js';
import { writeModelCard } from './model-card.js';
import { isPretrained, measurePerplexity, type Perplexity } from './perplexity.js';
import { learnBatch } from './nll-step.js';
import type { WarmStartProgress } from './progress.js';
import { describeStudent, loadGivenModel, openStudent, validateLora } from './student.js';
import { saveTaught } from './taught.js';
import { openWorkFolder, type WorkFolder, workFolderOf } from './work-folder.js';

export interface WarmStartParts {
  readonly plugins: PluginLookup;
  /** where a model of a hub was downloaded to */
  readonly modelFolder?: string;
  /** of an adapter: the model it was trained on */
  readonly base?: string | undefined;
  /** folder of the result; an unfinished one is in `<out>.work` */
  readonly out: string;
  /** of the disk; default: what is free where `out` will be */
  readonly freeBytes?: number;
  /** discard an unfinished warm start in `<out>.work`; default: resume it, or refuse one of another spec */
  readonly fresh?: boolean;
  /** for the model card; must contain no absolute path */
  readonly command?: string;
  /** a stop request saves and returns */
  readonly signal?: AbortSignal;
}

export interface WarmStartResult {
  /** the model; inside the work folder while it is unfinished */
  readonly folder: string;
  readonly isComplete: boolean;
  readonly step: number;
  readonly tokens: number;
  readonly results: readonly DemonstrationResult[];
  /** of a pretrained student */
  readonly perplexity?: Perplexity;
}

type Checked = Pick<WarmStartResult, 'results' | 'perplexity'>;

/** Of a model whose tokenizer is not trained yet. */
const unknownTokens = { endOfTurn: 0, pad: 0 };

interface Course {
  readonly spec: WarmStartSpec;
  readonly demonstrations: readonly Demonstration[];
  readonly engine: PolicyEngine;
  /** of the model that is written, its adapters merged */
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
  readonly curriculum: Curriculum;
  readonly work: WorkFolder;
  /** folder of an existing model */
  readonly startedFrom: string | undefined;
  readonly parts: WarmStartParts;
  readonly steps: number;
  readonly onProgress: (event: WarmStartProgress) => void;
  /** of the held-out text before the first step; undefined for a model that never learned to speak */
  readonly perplexityBefore: number | undefined;
  step: number;
  tokens: number;
  /** spent on steps in this process, without checks */
  seconds: number;
  tokensHere: number;
}

/**
 * Warm-starts a model and writes it to `parts.out` in Hugging Face's layout, float16; an error before the first save
 * leaves nothing behind.
 *
 * @throws config.* and plugin.* for an invalid spec; model.* for a bad existing model; trainer.disk_full; trainer.run_exists
 * and trainer.run_locked for a work folder in use; engine.not_finite
 */
export async function warmStart(
  spec: WarmStartSpec,
  parts: WarmStartParts,
  onProgress: (event: WarmStartProgress) => void = () => undefined,
): Promise<WarmStartResult> {
  const demonstrations = resolveDemonstrations(spec, parts.plugins);
  const { model } = spec;
  const given = isModelChoice(model)
    ? loadGivenModel(modelFolderOf(model, parts.plugins, parts.modelFolder), parts.base)
    : undefined;
  validateLora(spec, given);
  const config = given?.config ?? (isModelChoice(model) ? undefined : describeStudent(model, unknownTokens));
  if (config !== undefined) requireDiskSpace(workFolderOf(parts.out), spec, config, parts.freeBytes);
  const work = openWorkFolder(parts.out, spec, parts.fresh ?? false);
  try {
    const engine = await openStudent(spec, demonstrations, work, given);
    try {
      return await teach(
        await openCourse({
          spec,
          demonstrations,
          engine,
          work,
          startedFrom: given?.folder,
          parts,
          onProgress,
        }),
      );
    } finally {
      await engine.dispose();
    }
  } finally {
    work.close();
  }
}

/** Runs all steps, or as many as the signal allows. */
async function teach(course: Course): Promise<WarmStartResult> {
  const { spec, parts, work } = course;
  let checked: Checked = { results: [] };
  let checkedAt = course.tokens;
  while (course.tokens < spec.tokens && parts.signal?.aborted !== true) {
    await takeStep(course);
    if (course.tokens - checkedAt < spec.validation.everyTokens || course.tokens >= spec.tokens) continue;
    checkedAt = course.tokens;
    await save(course);
    checked = await check(course, spec.validation.episodes);
  }
  const isComplete = course.tokens >= spec.tokens;
  await save(course);
  if (isComplete) {
    checked = await check(course, spec.validation.finalEpisodes);
    publish(course);
    work.remove();
  }
  const folder = isComplete ? parts.out : work.model;
  return { folder, isComplete, step: course.step, tokens: course.tokens, ...checked };
}

async function openCourse(
  opened: Pick<
    Course,
    'spec' | 'demonstrations' | 'engine' | 'work' | 'startedFrom' | 'parts' | 'onProgress'
  >,
): Promise<Course> {
  const { spec, demonstrations, engine, work, onProgress } = opened;
  const tokenizer = loadTokenizer(work.start);
  const state = work.latest?.state;
  const { vocabularySize, contextLength } = engine.description;
  const config = loadModelConfig(work.start);
  const curriculum = createCurriculum(demonstrations, tokenizer, {
    seed: spec.seed,
    batchTokens: spec.batchTokens,
    contextLength,
    isNewModel: !isModelChoice(spec.model),
    start: state?.position,
  });
  const steps = Math.ceil(spec.tokens / spec.batchTokens);
  const { step = 0, tokens = 0 } = state ?? {};
  const isTaughtToSpeak = isModelChoice(spec.model) && isPretrained(tokenizer);
  const perplexityBefore =
    state?.perplexityBefore ??
    (isTaughtToSpeak && step === 0
      ? await measurePerplexity(engine.policy, tokenizer, contextLength)
      : undefined);
  onProgress({
    kind: 'started',
    parameterCount: countParameters(config),
    vocabularySize,
    steps,
    resumedAt: step,
    ...(perplexityBefore === undefined ? {} : { perplexity: perplexityBefore }),
  });
  const counters = { step, tokens, seconds: 0, tokensHere: 0 };
  return { ...opened, config, tokenizer, curriculum, steps, perplexityBefore, ...counters };
}

/** Trains on one batch. */
async function takeStep(course: Course): Promise<void> {
  const { spec, demonstrations, engine, curriculum, steps } = course;
  const started = performance.now();
  const batch = await curriculum.next();
  const taught = performance.now();
  const learningRate = learningRateAt(course.step, steps, spec.optimizer);
  const { optimizer } = spec;
  const learnt = await learnBatch(engine.policy, demonstrations, batch, { optimizer, learningRate });
  const seconds = (performance.now() - started) / 1000;
  course.step += 1;
  course.tokens += batch.tokenCount;
  course.seconds += seconds;
  course.tokensHere += batch.tokenCount;
  course.onProgress({
    kind: 'step',
    step: course.step,
    steps,
    tokens: course.tokens,
    totalTokens: spec.tokens,
    learningRate,
    ...learnt,
    tokensPerSecond: batch.tokenCount / seconds,
    teacherShare: (taught - started) / 1000 / seconds,
    etaSeconds: (Math.max(0, spec.tokens - course.tokens) * course.seconds) / course.tokensHere,
  });
}

/** Evaluates the current model and writes the results into its card. */
async function check(course: Course, episodes: number): Promise<Checked> {
  const { demonstrations, engine, tokenizer, perplexityBefore: before } = course;
  const started = performance.now();
  const results = await checkDemonstrations(demonstrations, engine, tokenizer, episodes);
  const { contextLength } = engine.description;
  const perplexity =
    before === undefined
      ? {}
      : { perplexity: { before, now: await measurePerplexity(engine.policy, tokenizer, contextLength) } };
  const seconds = (performance.now() - started) / 1000;
  course.onProgress({ kind: 'validated', tokens: course.tokens, results, seconds, ...perplexity });
  saveCard(course, { results, ...perplexity });
  return { results, ...perplexity };
}

/** Saves the state to resume from, then the current model; evaluation comes later, so that it cannot lose work. */
async function save(course: Course): Promise<void> {
  const { work, engine, step, tokens, curriculum, perplexityBefore } = course;
  const saved = await work.save(engine.policy, {
    step,
    tokens,
    position: curriculum.position,
    ...(perplexityBefore === undefined ? {} : { perplexityBefore }),
  });
  const { config, weights } = loadModelFolder(saved, work.start);
  saveModelFolder(work.model, { config, weights, dtype: 'float16', tokenizerFrom: work.start });
  saveTaught(work.model, course.demonstrations, course.startedFrom);
  saveCard(course, { results: [] });
  reportSaved(course, work.model);
}

/** Copies the complete model to `out`; the weights last, so that a folder with weights is complete. */
function publish(course: Course): void {
  const { work, parts } = course;
  const weights = 'model.safetensors';
  for (const name of [...readdirSync(work.model).filter((other) => other !== weights), weights])
    saveWholeFile(join(parts.out, name), { copyOf: join(work.model, name) });
  reportSaved(course, parts.out);
}

function reportSaved({ onProgress }: Course, folder: string): void {
  onProgress({ kind: 'saved', folder, bytes: statSync(join(folder, 'model.safetensors')).size });
}

function saveCard(course: Course, checked: Checked): void {
  const { spec, demonstrations, config, parts, work, step, tokens, curriculum } = course;
  const {
    command = `npm run cli -- warm-start config/warm-start/${spec.name}.yaml --out models/${spec.name}`,
  } = parts;
  const { teacherSuccess } = curriculum;
  const card = {
    spec,
    demonstrations,
    ...checked,
    config,
    steps: step,
    tokens,
    teacherSuccess,
    command,
  };
  saveWholeFile(join(work.model, 'README.md'), writeModelCard(card));
}

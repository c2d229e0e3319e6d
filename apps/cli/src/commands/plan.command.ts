import { type ConfigInput, leaves, resolveWarmStartSpec } from '@espalier/config';
import { isModelChoice } from '@espalier/contracts/model-choice';
import { resolveDemonstrations } from '@espalier/imitation';
import { openModelFolder } from '@espalier/model';
import { resolveDriver } from '@espalier/runtime';
import { countCheckpoints } from '@espalier/trainer';
import type { WarmStartSpec } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { playsAgents } from '../plan/agent-runs.js';
import {
  describeBits,
  describeMemory,
  describeMost,
  listCutWarnings,
  listDeviceWarnings,
  listMemoryWarnings,
  type PeakBytes,
  promiseBits,
} from '../plan/describe-device.js';
import { listCreditWarnings } from '../plan/credit-warnings.js';
import { engineLines, type EnginePlan, planEngine } from '../plan/engine-lines.js';
import { estimateRun, peaksInValidation, type RunEstimate } from '../plan/estimate-run.js';
import { countWeights } from '../plan/held-weights.js';
import { readAlgorithms } from '../plan/run-graphs.js';
import { findGpuBytes } from '../plan/gpu-memory.js';
import { listMisfits, refuseMisfits, remediesOfRun, warmStartRemedies } from '../plan/misfits.js';
import { estimateWarmStart } from '../plan/estimate-warm-start.js';
import { examples } from '../examples.js';
import { exitCodes } from '../exit-codes.js';
import { describePlace, isolateRun, listPlaces } from '../local/isolate-run.js';
import {
  listModelWarnings,
  listPlanWarnings,
  type MachineLimits,
  measureMachine,
} from '../plan/plan-warnings.js';
import { openConfig } from '../local/open-config.js';
import { noteCorrupt, type OpenedModel, openModel } from '../local/open-model.js';
import { collect } from '../parse-arguments.js';
import { validatePromptLength } from '../local/validate-prompt-length.js';
import { type PlannedRun, planRun } from '../local/resolve-run.js';
import { runsFolder } from '../local/run-folder.js';
import { formatDuration } from '../view/eta.js';
import { plannedLevelLines } from '../view/level-lines.js';
import { formatBytes, short } from '../view/numbers.js';
import type { Registry } from '../workspace.js';

interface PlanOptions {
  readonly set: string[];
  readonly json?: boolean;
}

/** Adds `espalier plan`. */
export function addPlanCommand(program: Command, context: CommandContext): void {
  program
    .command('plan <config>')
    .description(
      'show the resolved spec, where each value comes from, and what the run will cost; times the machine for a second, trains nothing',
    )
    .option('--set <path=value>', 'change an option of the configuration; repeatable', collect, [])
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['plan config/runs/sokoban-ppo.yaml', 'every option with its value and source'],
        ['plan config/runs/sokoban-ppo.yaml --set rollout.promptsPerStep=16', 'the same with a change'],
        [
          'plan config/warm-start/smollm2.yaml',
          'a warm start of an existing model: its memory, disk space and time',
        ],
      ),
    )
    .action(async (config: string, options: PlanOptions) => plan(config, options, context));
}

async function plan(config: string, options: PlanOptions, context: CommandContext): Promise<void> {
  const { console } = context;
  const { input, registry } = await openConfig(config, options.set, console);
  if ('demonstrations' in input.value) return planWarmStart(config, { input, options, registry }, context);
  const planned = await planRun(input, [], { registry, console });
  noteCorrupt(planned.model, console);
  const { engine, warnings: ofEngine } = await planEngine(planned.spec, registry);
  if (engine === undefined) validateWeights(planned.model);
  const plugins = await isolateRun(planned.spec, registry);
  const notes = await validatePromptLength(planned, registry);
  const isEstimated = !playsAgents(planned.spec, registry);
  const estimate = isEstimated
    ? await estimateRun(planned, plugins).finally(() => plugins.dispose())
    : await plugins.dispose().then(() => undefined);
  const places = listPlaces(planned.spec, registry);
  const machine = { ...measureMachine(runsFolder), gpuBytes: planned.gpuBytes };
  const misfits = engine === undefined ? misfitsOf({ planned, registry }, estimate, machine) : [];
  const warnings = [
    ...notes,
    ...ofEngine,
    ...listModelWarnings(planned.spec, registry, planned.model.folder),
    ...listCreditWarnings(planned.spec, registry),
    ...(engine === undefined
      ? [
          ...listPlanWarnings(planned, hasCriticOf(planned), machine),
          ...(await listDeviceWarnings(planned.spec.device)),
          ...(estimate === undefined
            ? []
            : [
                ...listCutWarnings(planned.spec, estimate),
                ...listMemoryWarnings(planned.spec.device, peakOf(estimate), machine),
              ]),
        ]
      : []),
  ];
  if (options.json === true) {
    const { spec, derived, hash, inert, sources, model } = planned;
    console.line(
      JSON.stringify({
        spec,
        derived,
        hash,
        sources: Object.fromEntries(sources),
        inert,
        isolation: places,
        model: { folder: model.folder, ...model.limits },
        ...(engine === undefined ? { bits: promiseBits(spec.device, model.config) } : { engine }),
        estimate: estimate ?? null,
        freeDiskBytes: machine.diskBytes,
        warnings,
        misfits,
      }),
    );
    return finishPlan(misfits, context);
  }
  printSpec(planned, console);
  printInert(planned, console);
  printShares(planned, console);
  printLevels(planned, console);
  console.line(console.colors.bold('\nwhere plugins run'));
  for (const place of places) console.line(`  ${describePlace(place)}`);
  if (estimate === undefined) printUnestimated({ planned, registry }, console);
  else printEstimate(planned, estimate, { machine, engine }, console);
  printWarnings(warnings, console);
  refuseMisfits(config, misfits);
}

const peakOf = ({ expected, mostPeakBytes }: RunEstimate): PeakBytes => ({
  expected: expected.peakBytes,
  most: mostPeakBytes,
});

/** A plan in JSON has what does not fit in it; the exit code is that of the refusal. */
function finishPlan(misfits: readonly string[], { finish }: CommandContext): void {
  if (misfits.length > 0) finish(exitCodes.invalid);
}

function misfitsOf(
  run: { readonly planned: PlannedRun; readonly registry: Registry },
  estimate: RunEstimate | undefined,
  machine: MachineLimits,
): string[] {
  const { spec } = run.planned;
  const { modelBytes = 0, cacheBytes = 0, activationBytes = 0 } = estimate ?? {};
  return listMisfits(
    spec.device,
    {
      peakBytes: estimate?.expected.peakBytes ?? 0,
      diskBytes: estimate?.checkpointsBytes ?? checkpointsBytesOf(run.planned, run.registry),
    },
    machine,
    remediesOfRun(
      spec,
      { modelBytes, cacheBytes, activationBytes },
      { peaksInValidation: peaksInValidation(run.planned) },
    ),
  );
}

/** Checks names, shapes and number formats of a model, and that an adapter is of its base; reads no weight of the model. @throws model.* */
function validateWeights({ folder, base }: OpenedModel): void {
  openModelFolder(folder, base).close();
}

const hasCriticOf = ({ inert }: PlannedRun): boolean => !inert.some(({ path }) => path === 'criticOptimizer');

function checkpointsBytesOf({ spec, model }: PlannedRun, registry: Registry): number {
  const { critics } = readAlgorithms(spec, registry);
  const held = countWeights(spec, model.config, { critics, reference: false });
  return countCheckpoints(spec) * held.checkpointBytes;
}

/** What an agent program asks, and how often, is not known before it runs. */
function printUnestimated(
  { planned, registry }: { readonly planned: PlannedRun; readonly registry: Registry },
  console: Console,
): void {
  console.line(console.colors.bold('\nestimate'));
  console.line(
    `  disk        at most ${formatBytes(checkpointsBytesOf(planned, registry))} of checkpoints at once`,
  );
  console.line('  time        not estimated: agent programs write their prompts, and take their own time');
}

/** Estimates what a warm start costs; a new model has no tokenizer yet that tells how long its episodes are. */
async function planWarmStart(
  config: string,
  {
    input,
    options,
    registry,
  }: { readonly input: ConfigInput; readonly options: PlanOptions; readonly registry: Registry },
  context: CommandContext,
): Promise<void> {
  const { console } = context;
  const { model } = resolveWarmStartSpec(input, registry).spec;
  const given = isModelChoice(model) ? await openModel(model, registry, console) : undefined;
  const { spec, hash } = resolveWarmStartSpec(input, registry, given?.limits);
  resolveDemonstrations(spec, registry);
  if (given !== undefined) validateWeights(given);
  const gpuBytes = await findGpuBytes(spec.device);
  const estimate =
    given === undefined ? undefined : await estimateWarmStart(spec, given, { registry, gpuBytes });
  const machine = { ...measureMachine('models'), gpuBytes };
  const warnings = await listDeviceWarnings(spec.device);
  const misfits =
    estimate === undefined ? [] : listMisfits(spec.device, estimate, machine, warmStartRemedies(spec));
  if (options.json === true) {
    console.line(JSON.stringify({ spec, hash, estimate: estimate ?? null, warnings, misfits }));
    return finishPlan(misfits, context);
  }
  for (const [path, value] of leaves(spec)) console.line(`  ${path}  ${JSON.stringify(value)}`);
  console.line(console.colors.bold('\nestimate'));
  if (estimate === undefined) console.line('  memory      not estimated for a new model');
  else printWarmStart(spec, estimate, machine, console);
  printWarnings(warnings, console);
  refuseMisfits(config, misfits);
}

function printWarmStart(
  spec: WarmStartSpec,
  estimate: Awaited<ReturnType<typeof estimateWarmStart>>,
  { diskBytes: freeBytes, gpuBytes }: MachineLimits,
  console: Console,
): void {
  const { parameters, trainedParameters, peakBytes, diskBytes, steps, seconds, threads } = estimate;
  console.line(
    `  model       ${(parameters / 1e6).toFixed(2)} M parameters, ${(trainedParameters / 1e6).toFixed(2)} M trained`,
  );
  console.line(`  memory      ${describeMemory(spec.device, peakBytes, gpuBytes)}`);
  console.line(`  disk        about ${formatBytes(diskBytes)} at once; ${formatBytes(freeBytes)} free`);
  console.line(
    seconds === undefined
      ? `  time        not estimated for ${describeComputing(spec)}`
      : `  time        about ${formatDuration(1000 * seconds.expected)} for ${steps} ${steps === 1 ? 'step' : 'steps'} on ${threads} cores as busy as now, at least ${formatDuration(1000 * seconds.low)}, without validation`,
  );
}

function printWarnings(warnings: readonly string[], console: Console): void {
  if (warnings.length === 0) return;
  console.line(console.colors.bold('\nwarnings'));
  for (const warning of warnings) console.line(console.colors.yellow(`  ${warning}`));
}

function printSpec({ spec, derived, sources, hash }: PlannedRun, console: Console): void {
  const rows = [...leaves(spec), ...leaves({ derived })].map(([path, value]) => ({
    path,
    value: JSON.stringify(value) ?? '',
    source: sources.get(path) ?? 'derived',
  }));
  const width = (read: (row: (typeof rows)[number]) => string): number =>
    Math.max(...rows.map((row) => read(row).length));
  const paths = width((row) => row.path);
  const values = Math.min(
    28,
    width((row) => row.value),
  );
  console.line(
    console.colors.bold(`run ${spec.name}`) + console.colors.dim(`  sha256 ${hash.slice(0, 12)}…`),
  );
  for (const { path, value, source } of rows) {
    const isOwn = source === 'file' || source === '--set';
    const line = `  ${path.padEnd(paths)}  ${value.padEnd(values)}  ${source}`;
    console.line(isOwn ? line : console.colors.dim(line));
  }
}

/** What each environment of a run in several has of a step. */
function printShares({ derived: { tags = [] } }: PlannedRun, console: Console): void {
  if (tags.length === 0) return;
  console.line(console.colors.bold('\nshares'));
  const width = Math.max(...tags.map(({ tag }) => tag.length));
  for (const { tag, groups, share, trajectoriesPerStep, keptGroupsPerStep } of tags) {
    const kept = keptGroupsPerStep === undefined ? '' : `, ${keptGroupsPerStep} kept`;
    const percent = `${(100 * share).toFixed(1)} %`.padStart(7);
    console.line(
      `  ${tag.padEnd(width)}  ${percent}  ${groups} groups, ${trajectoriesPerStep} trajectories${kept}`,
    );
  }
}

/** The ladder of each curriculum, and how horizons grow. */
function printLevels({ spec }: PlannedRun, console: Console): void {
  const lines = plannedLevelLines(spec);
  if (lines.length === 0) return;
  console.line(console.colors.bold('\nlevels and horizon'));
  for (const line of lines) console.line(line);
}

function printInert({ inert }: PlannedRun, console: Console): void {
  if (inert.length === 0) return;
  console.line(console.colors.bold('\noptions that change nothing here'));
  for (const { path, reason, set } of inert) {
    const line = `  ${path}: ${reason}${set ? ' (set by you)' : ''}`;
    console.line(set ? console.colors.yellow(line) : console.colors.dim(line));
  }
}

function printEstimate(
  { model, spec }: PlannedRun,
  estimate: RunEstimate,
  {
    machine: { diskBytes, gpuBytes },
    engine,
  }: { readonly machine: MachineLimits; readonly engine: EnginePlan | undefined },
  console: Console,
): void {
  const { parameters, trainedParameters, graphs, prompt, expected, tokensPerStep, secondsPerStep, threads } =
    estimate;
  const trained =
    trainedParameters === parameters ? '' : ` (${(trainedParameters / 1e6).toFixed(2)} M trained)`;
  const { modelBytes, cacheBytes, activationBytes } = estimate;
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  console.line(console.colors.bold('\nestimate'));
  console.line(
    `  model       ${model.folder}: ${(parameters / 1e6).toFixed(2)} M parameters${trained}, vocabulary ${model.limits.vocabularySize}, context ${model.limits.contextLength}`,
  );
  console.line(`  graphs      ${graphs.map(({ name, nodes }) => `${name} ${nodes} nodes`).join(', ')}`);
  console.line(
    `  tokens      at most ${tokensPerStep} per step; messages of ${prompt.first} tokens, ${prompt.later} in later turns`,
  );
  console.line(
    `  expected    ${expected.turnsPerEpisode.toFixed(1)} turns and ${expected.tokensPerEpisode.toFixed(0)} tokens an episode, as a teacher plays; per step ${expected.sampledTokens} sampled, ${expected.trainedTokens} trained, ${percent(expected.paddingShare)} padding`,
  );
  if (engine !== undefined) {
    for (const line of engineLines(engine)) console.line(`  ${line}`);
    return console.line(
      '  time        not estimated: the server computes, and holds weights and checkpoints',
    );
  }
  console.line(
    `  memory      ${describeMemory(spec.device, expected.peakBytes, gpuBytes)}${describeMost(spec.device, peakOf(estimate))}: models ${formatBytes(modelBytes)}, cache ${formatBytes(cacheBytes)}, graphs ${formatBytes(activationBytes)}`,
  );
  console.line(
    `  disk        ${formatBytes(estimate.checkpointBytes)} per checkpoint, at most ${formatBytes(estimate.checkpointsBytes)} at once; ${formatBytes(diskBytes)} free`,
  );
  console.line(`  bits        ${describeBits(promiseBits(spec.device, model.config))}`);
  if (secondsPerStep === undefined || expected.secondsPerStep === undefined)
    return console.line(`  time        not estimated for ${describeComputing(spec)}`);
  const time = (seconds: number): string => formatDuration(seconds * 1000);
  const brief = (seconds = 0): string => (seconds < 100 ? `${seconds.toFixed(1)} s` : time(seconds));
  const [low, high] = secondsPerStep;
  console.line(
    `  time        about ${brief(expected.secondsPerStep)} per step (sampling ${brief(expected.collectSeconds)}, learning ${brief(expected.updateSeconds)}), ${time(low)} – ${time(high)}`,
  );
  console.line(
    `  in all      about ${time(expected.secondsPerStep * spec.steps)}, at most ${time(high * spec.steps)} on ${threads} cores as busy as now, without validation`,
  );
  const { pricePerHour } = spec.device;
  if (pricePerHour === undefined) return;
  const price = (seconds: number): string => short((pricePerHour * seconds * spec.steps) / 3600);
  console.line(
    `  price       about ${price(expected.secondsPerStep)}, at most ${price(high)}, in the currency of device.pricePerHour`,
  );
}

/** What computes where time is not estimated: a provider, or a driver and its precision. */
function describeComputing({ device }: Pick<WarmStartSpec, 'device'>): string {
  const { provider, precision } = device;
  return provider === 'cpu' ? `${resolveDriver(device)} in ${precision}` : provider;
}

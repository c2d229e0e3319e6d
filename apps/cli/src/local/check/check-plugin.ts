/** @file Checks a plugin's package as a whole: build, rewards, conformance. */
import { AppError, isAppError } from '@espalier/contracts';
import { resolvePluginOptions } from '@espalier/config';
import { requirePackage } from '../test-plugin.js';
import { buildPlugin } from './build-plugin.js';
import { checkEnvironment } from './check-environment.js';
import { checkReward } from './check-reward.js';
import { type Finding, problem } from './finding.js';
import { type CheckedPlugin, type OpenedForCheck, openForCheck } from './open-for-check.js';
import { runSuite } from './run-suite.js';

export interface CheckRequest {
  readonly folder: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly only?: string | undefined;
  /** states that each policy plays */
  readonly episodes: number;
  /** time limit of one call */
  readonly callLimitMs: number;
  /** time limit of the conformance suite */
  readonly suiteLimitMs: number;
}

export interface CheckReport {
  readonly plugins: readonly CheckedPlugin[];
  /** tests of the conformance suite */
  readonly passed: number;
  readonly findings: readonly Finding[];
}

/** Checks the package of a folder. @throws cli.usage, plugin.unreadable and whatever keeps it from loading */
export async function checkPlugin(request: CheckRequest): Promise<CheckReport> {
  const folder = requirePackage(request.folder, 'check');
  const build = await buildPlugin(folder);
  if (!build.isGood) {
    const finding = `npm run build fails: ${build.output.slice(-2000)}`;
    return {
      plugins: [],
      passed: 0,
      findings: [problem('build', finding, 'mend it, or run npm install first')],
    };
  }
  const opened = await openForCheck(folder, request.callLimitMs);
  try {
    const plugins = choose(opened.plugins, request);
    for (const plugin of plugins) parseParams(opened, plugin, request);
    const findings: Finding[] = [];
    for (const plugin of plugins) findings.push(...(await checkRewards(opened, plugin, request)));
    // a hook that does not return would take the limit again in every test
    if (findings.some(({ check }) => check === 'hook')) return { plugins, passed: 0, findings };
    const { params, only, callLimitMs, suiteLimitMs: limitMs } = request;
    const suite = await runSuite({ folder, params, only, callLimitMs, limitMs });
    return { plugins, passed: suite.passed, findings: [...findings, ...suite.findings] };
  } finally {
    await opened.registry.dispose();
  }
}

function choose(plugins: readonly CheckedPlugin[], { only, params, folder }: CheckRequest): CheckedPlugin[] {
  const chosen = plugins.filter(({ id }) => only === undefined || id === only);
  const ids = plugins.map(({ id }) => id).join(', ');
  if (chosen.length === 0)
    throw new AppError('cli.usage', `check ${folder}: no plugin "${only}"; it defines ${ids}`);
  if (chosen.length > 1 && Object.keys(params).length > 0)
    throw new AppError(
      'cli.usage',
      `check ${folder}: --params fits one plugin; name it with --only, one of ${ids}`,
    );
  return chosen;
}

/** Wrong options are a mistake of whoever typed them, not of the plugin. */
function parseParams(
  { registry }: OpenedForCheck,
  { kind, id }: CheckedPlugin,
  { params }: CheckRequest,
): unknown {
  try {
    return resolvePluginOptions(registry, kind, id, params, '--params');
  } catch (cause) {
    if (isAppError(cause) && cause.code.startsWith('config.'))
      throw new AppError('cli.usage', cause.message, { cause });
    throw cause;
  }
}

async function checkRewards(
  opened: OpenedForCheck,
  plugin: CheckedPlugin,
  request: CheckRequest,
): Promise<Finding[]> {
  const { registry } = opened;
  const { kind, id } = plugin;
  try {
    const params = parseParams(opened, plugin, request);
    if (kind === 'environment')
      return await checkEnvironment(registry.get(kind, id), params, request.episodes);
    return kind === 'reward' ? await checkReward(registry.get(kind, id), params) : [];
  } catch (error) {
    if (!isAppError(error) || !error.code.startsWith('plugin.')) throw error;
    const isSlow = error.code === 'plugin.timeout';
    const remedy = isSlow
      ? 'let it return; look for a loop without end or a promise nobody settles'
      : 'mend what the message names';
    return [problem(isSlow ? 'hook' : 'play', error.message, remedy)];
  }
}

/** @file Runs the conformance suite on a package, in vitest processes that are ended when they take too long. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AppError } from '@espalier/contracts';
import { signalGroup } from '@espalier/files';
import { findForPlugin } from '../plugin-test-config.js';
import { findVitest } from '../test-plugin.js';
import { type Finding, problem } from './finding.js';
import { calledAs } from '../../parse-arguments.js';

export interface SuiteRequest {
  readonly folder: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** checks only this definition */
  readonly only?: string | undefined;
  /** time limit of one call */
  readonly callLimitMs: number;
  /** time limit of the whole suite */
  readonly limitMs: number;
}

export interface SuiteResult {
  readonly passed: number;
  readonly findings: readonly Finding[];
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs the suite of every definition of a package. @throws cli.usage without vitest or kit */
export async function runSuite(request: SuiteRequest): Promise<SuiteResult> {
  const vitest = findVitest(request.folder, 'check');
  const kit = findForPlugin('@espalier/plugin-kit', request.folder);
  if (kit === undefined)
    throw new AppError('cli.usage', `check ${request.folder}: the kit is not installed; run npm install`);
  const scratch = mkdtempSync(join(tmpdir(), 'espalier-suite-'));
  try {
    writeFileSync(join(scratch, 'conformance.spec.js'), writeSpec(kit, request));
    const path = join(scratch, 'report.json');
    // started in the plugin's folder, from where the configuration finds kit and zod
    const config = fileURLToPath(new URL('../plugin-test-config.js', import.meta.url));
    const words = ['run', '--config', config, '--root', scratch, '--reporter=json', `--outputFile=${path}`];
    const limits = ['--pool=threads', '--no-isolate', '--maxWorkers=1', `--testTimeout=${request.limitMs}`];
    const { isOver, output } = await runLimited([join(vitest, 'vitest.mjs'), ...words, ...limits], request);
    if (existsSync(path)) return readReport(JSON.parse(readFileSync(path, 'utf8')) as Report);
    // the thread that watches calls names the one that never returned
    const stuck = /^note: (\S+ "[^"\n]*", hook "[^"\n]*") has not returned/m.exec(output)?.[1];
    const finding = isOver
      ? `${stuck ?? 'the suite'} did not return within ${request.limitMs / 1000} s, and was ended`
      : `vitest ended without a report: ${output.trim().slice(-500)}`;
    return {
      passed: 0,
      findings: [problem('conformance', finding, 'let every hook return; look for a loop without end')],
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function writeSpec(kit: string, { folder, params, only, callLimitMs }: SuiteRequest): string {
  const given = JSON.stringify({ params });
  const from = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
  const suites = JSON.stringify(pathToFileURL(join(kit, 'dist', 'testing', 'index.js')).href);
  return `import { afterAll } from 'vitest';
import { openForCheck } from ${from('./open-for-check.js')};
import { watchCalls } from ${from('./watch-calls.js')};
import * as suites from ${suites};

watchCalls(${callLimitMs});
const { registry, plugins } = await openForCheck(${JSON.stringify(folder)}, ${callLimitMs});
const names = { environment: 'testEnvironment', reward: 'testReward', algorithm: 'testAlgorithm', model: 'testModel' };
for (const { kind, id } of plugins)
  if (${JSON.stringify(only ?? null)} === null || id === ${JSON.stringify(only ?? null)})
    suites[names[kind]](registry.get(kind, id), ${given});
afterAll(() => registry.dispose());
`;
}

function runLimited(
  words: readonly string[],
  { folder: cwd, limitMs }: SuiteRequest,
): Promise<{ isOver: boolean; output: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$/.test(name)),
  );
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  return new Promise((resolve, reject) => {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    }, limitMs);
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      resolve({ isOver, output });
    });
  });
}

function readReport({ numPassedTests, testResults }: Report): SuiteResult {
  const findings = testResults.flatMap(({ message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (assertionResults.length === 0 && message !== '')
      return [problem('conformance', firstLine(message), 'mend what the message names')];
    return failed.map(({ title, failureMessages: [first = ''] }) =>
      problem(
        'conformance',
        `fails "${title}": ${firstLine(first)}`,
        `${calledAs()} plugin test shows the whole failure`,
      ),
    );
  });
  return { passed: numPassedTests, findings };
}

const firstLine = (text: string): string =>
  (text.split('\n', 1)[0] ?? '').replace(/^(AssertionError|Error): /, '');

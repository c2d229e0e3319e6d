/** @file Builds a plugin's package by its own script. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';

/** What a build printed, when it failed. */
export interface BuildResult {
  readonly isGood: boolean;
  readonly output: string;
}

/** Runs `npm run build` where the package has such a script; the signal ends it. @throws plugin.unreadable for a broken manifest */
export async function buildPlugin(folder: string, signal?: AbortSignal): Promise<BuildResult> {
  if (!hasBuild(folder)) return { isGood: true, output: '' };
  const child = spawn('npm', ['run', '--silent', 'build'], {
    cwd: folder,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  return new Promise((resolve, reject) => {
    child.on('error', (error) =>
      signal?.aborted === true ? resolve({ isGood: false, output: '' }) : reject(error),
    );
    child.on('close', (code) => resolve({ isGood: code === 0, output: output.trim() }));
  });
}

function hasBuild(folder: string): boolean {
  try {
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      scripts?: Record<string, string>;
    };
    return scripts?.['build'] !== undefined;
  } catch (cause) {
    throw new AppError('plugin.unreadable', `build ${folder}: package.json is not valid JSON; fix it`, {
      cause,
    });
  }
}

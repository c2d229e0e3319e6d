import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { type FoundPeers, lastLine } from './find-peers.js';
import { parsePeerOutput, type PeerRecord } from './parse-peer-output.js';
import type { PeerProgram } from './peer-pairs.js';

/** Longest time for one program: several times what the slowest takes on two busy cores. */
const limitMs = 30 * 60_000;

/** Runs a program whose weights are made in another type than PyTorch's own. */
const inType = (type: string): string[] => [
  '-c',
  `import runpy, sys, torch; torch.set_default_dtype(torch.${type}); del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')`,
];

/** Runs a program in its own process; throws `bench.peer_failed` with the end of its output. */
export function runPeer({ python, folder }: FoundPeers, { file, args, weights }: PeerProgram): PeerRecord[] {
  const { status, signal, stdout, stderr, error } = spawnSync(
    python,
    [...(weights === undefined ? [] : inType(weights)), join(folder, file), ...args.map(String)],
    {
      encoding: 'utf8',
      timeout: limitMs,
      maxBuffer: 64 * 2 ** 20,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  if (status === 0) return parsePeerOutput(stdout);
  const finding =
    error?.message ?? `${signal ?? `exit code ${status}`}: ${lastLine(stderr) ?? 'it said nothing'}`;
  throw new AppError('bench.peer_failed', `run peer ${file} ${args.join(' ')}: ${finding}`);
}

/** @file Plans campaigns: each fault separately, or all of them mixed. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import { runProcess } from '../training-process.js';
import { prepareWorkspace } from '../workspace.js';
import { type CampaignReport, runCampaign } from './campaign.js';
import { readReference, type Reference } from './check-run.js';
import type { Fault } from './fault.js';
import { fullDisks } from './faults/full-disks.js';
import { kills } from './faults/kills.js';
import { loseHost } from './faults/lost-host.js';
import { silences } from './faults/silences.js';
import { mountSmallDisk } from './small-disk.js';
import type { ClusterKind } from './cluster.js';

export const serverFaults: readonly Fault[] = [...kills, ...silences, loseHost, ...fullDisks];

const steps = 30;

const specOf = (folder: string): Record<string, unknown> => ({
  name: 'tiny',
  model: { path: join(folder, 'models/sprout') },
  environment: { use: 'bandit' },
  algorithm: { use: 'ppo', klCoefficient: 0.05 },
  steps,
  checkpoint: { every: 2, keep: 2 },
  rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 40 },
  validation: { every: 4, episodes: 4 },
  device: { threads: 1 },
});

/** Trains once without a server; every run must end with the same results. */
async function makeReference(folder: string, spec: object): Promise<Reference> {
  const file = join(folder, 'tiny.yaml');
  writeFileSync(file, JSON.stringify(spec));
  const run = join(folder, 'undisturbed');
  rmSync(run, { recursive: true, force: true });
  const { code, stderr } = await runProcess(['train', file, '--out', run], folder);
  if (code !== 0) throw new Error(`the undisturbed run ended with ${String(code)}: ${stderr}`);
  const last = runLayout.checkpoint(steps);
  const parts = ['policy/model', 'policy/optimizer', 'critic/model', 'critic/optimizer'];
  return readReference(
    run,
    parts.map((part) => `${last}/${part}.safetensors`).filter((path) => existsSync(join(run, path))),
  );
}

export interface ServerChaosOptions {
  readonly folder: string;
  /** names of faults */
  readonly only: readonly string[];
  readonly count: number;
  readonly minutes: number;
  /** all faults mixed, on as few clusters as possible */
  readonly isMixed: boolean;
  readonly seed: number;
  readonly log: (line: string) => void;
  /** called with each report as soon as it is complete */
  readonly onReport: (report: CampaignReport) => void;
}

/** Runs the campaigns for the chosen faults. */
export async function runServerChaos(options: ServerChaosOptions): Promise<void> {
  const { folder, seed, log, onReport } = options;
  mkdirSync(folder, { recursive: true });
  await prepareWorkspace(folder, []);
  const spec = specOf(folder);
  const reference = await makeReference(folder, spec);
  log(`server: undisturbed run of ${steps} steps, ${reference.rows.length} metric rows`);
  for (const [index, campaign] of planCampaigns(options, mayMount(folder)).entries()) {
    const given = {
      ...campaign,
      folder,
      spec,
      reference,
      count: options.count,
      minutes: options.minutes,
      seed: seed + index,
      log,
    };
    onReport(await runCampaign(given));
  }
}

function mayMount(folder: string): boolean {
  const disk = mountSmallDisk(join(folder, 'trial'));
  disk?.unmount();
  return disk !== undefined;
}

type Planned = Readonly<{ campaign: string; cluster: ClusterKind; faults: readonly Fault[] }>;

function planCampaigns(
  { only, isMixed }: Pick<ServerChaosOptions, 'only' | 'isMixed'>,
  hasDisks: boolean,
): Planned[] {
  const chosen = serverFaults.filter(({ name }) => only.includes(name));
  const uninterrupted = ({ clusters }: Fault): ClusterKind => clusters[0] ?? 'sqlite';
  if (!isMixed)
    return chosen.map((fault) => ({ campaign: fault.name, cluster: uninterrupted(fault), faults: [fault] }));
  // small disks suit every fault that needs no PostgreSQL
  const needsPostgres = (fault: Fault): boolean => uninterrupted(fault) === 'postgres';
  const needsDisks = hasDisks && chosen.some((fault) => uninterrupted(fault) === 'small-disks');
  const plans: Planned[] = [
    {
      campaign: 'server-mixed',
      cluster: needsDisks ? 'small-disks' : 'sqlite',
      faults: chosen.filter(
        (fault) => !needsPostgres(fault) && (hasDisks || uninterrupted(fault) === 'sqlite'),
      ),
    },
    { campaign: 'server-mixed-postgres', cluster: 'postgres', faults: chosen.filter(needsPostgres) },
  ];
  // reported as skipped
  const disks = hasDisks ? [] : chosen.filter((fault) => uninterrupted(fault) === 'small-disks');
  if (disks.length > 0) plans.push({ campaign: 'server-mixed-disks', cluster: 'small-disks', faults: disks });
  return plans.filter(({ faults }) => faults.length > 0);
}

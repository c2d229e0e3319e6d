/**
 * @file Twins: forks that continue without any change, so that they must repeat their parent bit for bit. A changed fork
 * beside one whose twin agrees differs by its setting, not by chance.
 */
import { isRepeatable } from '@espalier/contracts/metric';
import { stoppedStates } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { type EntityManager, Like } from 'typeorm';
import { Artifact } from '../database/entities/artifact.js';
import { Run } from '../database/entities/run.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import { RunLog } from '../database/run-log.js';
import { MetricHistory } from '../history/metrics/metric-history.service.js';
import { MetricTails } from '../history/metrics/metric-tails.js';
import { readWholeSeries } from '../history/metrics/whole-series.js';
import { compareSides, type Side } from './compare/agree.js';

/** Whether a twin repeats its parent. */
export const twinStates = ['waiting', 'agrees', 'differs'] as const;
export type TwinState = (typeof twinStates)[number];

export class TwinAgreement {
  state!: TwinState;
  /** step of the checkpoint */
  fromStep!: number;
  /** the last step that is equal; null: nothing to compare yet */
  upToStep!: number | null;
  values!: number;
  files!: number;
  differsAtStep!: number | null;
  differsIn!: string | null;
  parentValue!: number | null;
  twinValue!: number | null;
  message!: string;
}

@Injectable()
export class RunTwins {
  constructor(
    private readonly log: RunLog,
    private readonly history: MetricHistory,
    private readonly tails: MetricTails,
  ) {}

  /** Compares a twin with its parent; null: the run is no twin. */
  async of({ id }: Pick<Run, 'id'>): Promise<TwinAgreement | null> {
    const pair = await this.log.read(async (manager) => {
      const twin = await manager.findOneBy(Run, { id });
      if (twin === null || !twin.continues || twin.parentRunId === null) return null;
      const parent = await manager.findOneBy(Run, { id: twin.parentRunId });
      return parent === null || parent.specHash !== twin.specHash ? null : ([parent, twin] as const);
    });
    if (pair === null) return null;
    const fromStep = pair[1].parentStep ?? 0;
    const sides: Side[] = [];
    for (const run of pair) sides.push(await limitConcurrency(() => this.read(run, fromStep)));
    const [parent, twin] = sides as [Side, Side];
    return describe(compareSides(parent, twin, fromStep), fromStep);
  }

  private async read({ id, state }: Run, fromStep: number): Promise<Side> {
    const names = (await this.history.names(id)).map(({ name }) => name).filter(isRepeatable);
    return this.log.read(async (manager) => ({
      metrics: await readWholeSeries(manager, this.tails, { runId: id, names, fromStep: fromStep + 1 }),
      weights: await listWeights(manager, id),
      isRunning: !stoppedStates.includes(state),
    }));
  }
}

/** Weights and moments of the checkpoints of a run, of each path those of the newest attempt. */
async function listWeights(manager: EntityManager, runId: string): Promise<Side['weights']> {
  const where = { runId, kind: 'checkpoint' as const, path: Like('%.safetensors') };
  const found = await manager.find(Artifact, { where, order: { attempt: 'ASC' } });
  return new Map(found.map(({ path, step, sha256 }) => [path, { step, sha256 }]));
}

function describe(
  { upTo, values, files, difference }: ReturnType<typeof compareSides>,
  fromStep: number,
): TwinAgreement {
  const state = upTo === null ? 'waiting' : difference === null ? 'agrees' : 'differs';
  const counted = `${values} values and ${files} files of weights`;
  const sentences: Record<TwinState, string> = {
    waiting: `no step after ${fromStep} that both runs have`,
    agrees: `equal bit for bit up to step ${upTo}: ${counted}`,
    differs: `first difference at step ${difference?.step}: ${difference?.at}; before it ${counted} are equal`,
  };
  return Object.assign(new TwinAgreement(), {
    state,
    fromStep,
    upToStep: upTo,
    values,
    files,
    differsAtStep: difference?.step ?? null,
    differsIn: difference?.at ?? null,
    parentValue: difference?.parent ?? null,
    twinValue: difference?.twin ?? null,
    message: sentences[state],
  });
}

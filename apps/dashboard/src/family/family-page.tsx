/** @file The family tree of a run: runs as branches on one step axis, checkpoints as dots to fork from, twins with their state. */
import type { Run, RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { Term } from '../charts/term.js';
import { lineColor } from '../charts/line-style.js';
import { formatShare } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Badge } from '../parts/badge.js';
import { More } from '../parts/more.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { ForkPanel } from '../start/fork-panel.js';
import { FamilyChart } from './family-chart.js';
import { type Branch, layOut, spacedSteps, ticksOf } from './layout.js';
import { type Family, mostCompared, useFamily } from './use-family.js';

const rowHeight = 52;

export default function FamilyPage({ run }: { readonly run: RunDetails }) {
  const { client } = useSession();
  const { family, part } = useFamily(run.id);
  const [search, setSearch] = useSearch();
  const [forkId, forkStep] = (search.get('fork') ?? '').split('@');
  const chosen = useQuery({
    queryKey: ['run', forkId],
    queryFn: () => client.runs.get(forkId ?? ''),
    enabled: forkId !== undefined && forkId !== '',
  });
  if (family.error !== null) return <ErrorNote error={family.error} retry={() => void family.refetch()} />;
  if (family.data === undefined) return <Waiting what="the family" />;
  const branches = layOut(family.data.runs, family.data.rootId, family.data.groups);
  const close = (): void => setSearch({ fork: undefined });
  const pick = (id: string, step: number): void => setSearch({ fork: `${id}@${step}` });
  return (
    <div className={`family ${forkStep === undefined ? '' : 'forking'}`}>
      <div className="stack">
        <p className="small muted">
          Steps and success of each run{' '}
          <Term
            title="each number of a branch"
            of={['Run.step, steps', 'Run.latest[rollout/success_rate]']}
          />
        </p>
        <Tree
          branches={branches}
          family={family.data}
          here={run.id}
          chosen={search.get('fork') ?? ''}
          onPick={pick}
        />
        <p className="small muted">
          A dot is a checkpoint; choose one to fork from there. Where dots would cover each other, the others
          are in the list of the fork. Dashed: planned steps. A fork from weights counts its own steps from 0,
          and stands where it began.
          {branches.length > mostCompared &&
            ` Runs that differ in their seed only are told of the first ${mostCompared}.`}
        </p>
        {family.data.ungrouped !== undefined && (
          <ErrorNote error={family.data.ungrouped} retry={() => void family.refetch()} />
        )}
        <More of={part} what="runs" />
        <FamilyChart branches={branches} settings={family.data.settings} />
      </div>
      {forkStep !== undefined && chosen.data !== undefined && (
        <ForkPanel
          key={forkId}
          run={chosen.data}
          step={Number(forkStep)}
          steps={forkable(family.data, chosen.data.id)}
          onStep={(step) => pick(chosen.data.id, step)}
          onStarted={close}
          onClose={close}
        />
      )}
      {forkStep !== undefined && chosen.error !== null && (
        <ErrorNote error={chosen.error} retry={() => void chosen.refetch()} />
      )}
    </div>
  );
}

interface TreeProps {
  readonly branches: readonly Branch<Run>[];
  readonly family: Family;
  /** the run whose page this is */
  readonly here: string;
  readonly chosen: string;
  onPick(id: string, step: number): void;
}

function Tree({ branches, family, here, chosen, onPick }: TreeProps) {
  const last = Math.max(1, ...branches.map(({ end }) => end));
  const at = (step: number): string => `${(100 * step) / last}%`;
  return (
    <section className="card tree" aria-label="Family tree">
      <div className="tree-row axis" aria-hidden="true">
        <span className="small faint">step</span>
        <div className="track">
          {ticksOf(last).map((tick) => (
            <span key={tick} style={{ left: at(tick) }}>
              {tick}
            </span>
          ))}
        </div>
      </div>
      {branches.map((branch, row) => (
        <div
          key={branch.run.id}
          className={`tree-row ${branch.run.id === here ? 'here' : ''} ${branch.band === undefined ? '' : `band band-${branch.band % 2}`}`}
        >
          <Name branch={branch} family={family} index={row} branches={branches} />
          <div className="track" style={{ height: rowHeight }}>
            {branch.parentRow !== undefined && (
              <i
                className="stem"
                style={{ left: at(branch.from), height: (row - branch.parentRow) * rowHeight }}
              />
            )}
            <i
              className="planned"
              style={{ left: at(branch.from), right: `${100 - (100 * branch.end) / last}%` }}
            />
            <i
              className="done"
              style={{
                left: at(branch.from),
                right: `${100 - (100 * branch.to) / last}%`,
                background: `var(${lineColor(row)})`,
              }}
            />
            {spacedSteps(forkable(family, branch.run.id), last, chosenStep(chosen, branch.run.id)).map(
              (step) => (
                <button
                  key={step}
                  className="dot"
                  style={{ left: at(branch.offset + step), color: `var(${lineColor(row)})` }}
                  aria-pressed={chosen === `${branch.run.id}@${step}`}
                  aria-label={`Fork ${toVisible(branch.run.title || branch.run.name)} from step ${step}`}
                  title={`Checkpoint of step ${step}: fork from here`}
                  onClick={() => onPick(branch.run.id, step)}
                />
              ),
            )}
          </div>
        </div>
      ))}
    </section>
  );
}

/** Steps of a run whose checkpoint can be forked. */
const forkable = ({ checkpoints }: Family, id: string): number[] =>
  (checkpoints[id] ?? []).flatMap(({ step, canFork }) => (canFork ? [step] : []));

/** The step of a run that the address names as the beginning of a fork. */
function chosenStep(chosen: string, id: string): number | undefined {
  const [run, step] = chosen.split('@');
  return run === id ? Number(step) : undefined;
}

interface NameProps {
  readonly branch: Branch<Run>;
  readonly family: Family;
  readonly index: number;
  readonly branches: readonly Branch<Run>[];
}

function Name({ branch: { run, band, parentRow }, family, index, branches }: NameProps) {
  const twin = family.twins[run.id];
  const success = run.latest as Readonly<Record<string, number | null>>;
  const isFirstOfBand = band !== undefined && branches[index - 1]?.band !== band;
  const seeds = branches.filter((one) => one.band === band).length;
  return (
    <div className="tree-name">
      <div className="row">
        <Link href={toPath('runs', run.id, 'family')} className="cut" title={run.id}>
          {toVisible(run.title || run.name)}
        </Link>
        <Badge of={run.state} />
      </div>
      <div className="row small muted">
        <span>
          {run.step ?? 0}/{run.steps}
        </span>
        <span title="Newest success in training">{formatShare(success['rollout/success_rate'])}</span>
        {parentRow !== undefined && !run.continues && <span>weights only</span>}
        {isFirstOfBand && <span className="tag">{seeds} seeds</span>}
        {twin !== null && twin !== undefined && <TwinBadge twin={twin} />}
      </div>
    </div>
  );
}

const marks = { agrees: '=', differs: '≠', waiting: '…' } as const;
const kinds = { agrees: 'good', differs: 'bad', waiting: 'wait' } as const;

function TwinBadge({ twin }: { readonly twin: NonNullable<Family['twins'][string]> }) {
  const state = twin.state as keyof typeof marks;
  const text =
    state === 'agrees'
      ? `twin ${marks.agrees} to ${twin.upToStep}`
      : state === 'differs'
        ? `twin ${marks.differs} at ${twin.differsAtStep}`
        : 'twin waits';
  return (
    <span className={`badge ${kinds[state]}`} title={toVisible(twin.message)}>
      {text}
      {state === 'differs' && <span className="mono cut">{toVisible(twin.differsIn ?? '')}</span>}
    </span>
  );
}

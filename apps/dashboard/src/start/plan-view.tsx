/** @file What a run would be: every option with its value and where it comes from, what follows, what it costs. */
import { Term } from '../charts/term.js';
import type { TermKey } from '../charts/terms.js';
import type { RunPlan } from '@espalier/client';
import { useState } from 'react';
import { formatBytes, formatNumber, formatSeconds } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Text } from '../parts/text.js';
import { changesOf } from './spec-text.js';

interface Props {
  readonly plan: RunPlan;
  /** its cost was asked for */
  readonly wasEstimated: boolean;
  /** asks for the cost; undefined: it is being estimated */
  readonly onEstimate: (() => void) | undefined;
}

export function PlanView({ plan, wasEstimated, onEstimate }: Props) {
  const isFork = plan.parentRunId !== null;
  const inert = plan.inert.filter(({ set }) => set);
  return (
    <div className="plan">
      <div className="plan-facts">
        <Fact name="Steps" term="RunPlan.steps" value={String(plan.steps)} />
        <Fact
          name="Trajectories per step"
          term="RunPlan.derived.trajectoriesPerStep"
          value={formatNumber(plan.derived.trajectoriesPerStep)}
        />
        <Fact
          name="Optimizer steps"
          term="RunPlan.derived.optimizerSteps"
          value={formatNumber(plan.derived.optimizerSteps)}
        />
        <Fact
          name="Device"
          term="RunPlan.needs.count"
          value={`${plan.needs.count} ${plan.needs.kind === 'gpu' ? 'GPU' : 'CPU slot'}`}
        />
        <Cost plan={plan} onEstimate={onEstimate} />
      </div>
      {wasEstimated && plan.estimate === null && plan.estimateReason !== null && (
        <p className="hint">
          No estimate: <Text of={plan.estimateReason} />
        </p>
      )}
      {isFork && <Differences plan={plan} />}
      {inert.map(({ path, reason }) => (
        <p key={path} className="hint">
          <span className="mono">{toVisible(path)}</span> has no effect here: <Text of={reason} />
        </p>
      ))}
      {plan.warnings.map((warning) => (
        <p key={warning} className="hint">
          <Text of={warning} />
        </p>
      ))}
      <Options plan={plan} />
    </div>
  );
}

/** The options of a run, each with its value and where it comes from. */
function Options({ plan }: { readonly plan: RunPlan }) {
  const [isAll, setAll] = useState(false);
  const [text, setText] = useState('');
  const sources = new Map(plan.sources.map(({ path, source }) => [path, source]));
  const isFork = plan.parentRunId !== null;
  const isGiven = (path: string): boolean =>
    ['--set', ...(isFork ? [] : ['file'])].includes(sourceAt(sources, path));
  const options = changesOf(plan.spec);
  const rows = options.filter(
    ([path, value]) =>
      (isAll || isGiven(path)) && `${path} ${value}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <>
      <div className="row">
        <div className="segmented" role="group" aria-label="Options shown">
          <button type="button" aria-pressed={!isAll} onClick={() => setAll(false)}>
            {isFork ? 'Changed' : 'Written'}
          </button>
          <button type="button" aria-pressed={isAll} onClick={() => setAll(true)}>
            All {options.length}
          </button>
        </div>
        <input
          type="search"
          placeholder="Search options"
          aria-label="Search options of the plan"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <div className="settings sourced">
        {rows.map(([path, value]) => (
          <div key={path}>
            <span className="mono">{toVisible(path)}</span>
            <span className="mono value">{toVisible(value)}</span>
            <span className="tag">{sourceAt(sources, path)}</span>
          </div>
        ))}
        {rows.length === 0 && (
          <p className="faint small">
            {isFork && !isAll ? 'All options come from the parent.' : 'No option matches.'}
          </p>
        )}
      </div>
    </>
  );
}

/** A list has one source for all of its parts. */
function sourceAt(sources: ReadonlyMap<string, string>, path: string): string {
  const own = sources.get(path);
  if (own !== undefined) return own;
  const inside = [...sources].find(([at]) => at.startsWith(`${path}.`));
  const outer = path.includes('.') ? sourceAt(sources, path.slice(0, path.lastIndexOf('.'))) : 'default';
  return inside?.[1] ?? outer;
}

interface FactProps {
  readonly name: string;
  readonly value: string;
  readonly term?: TermKey;
}

function Fact({ name, value, term }: FactProps) {
  return (
    <div>
      <span className="small muted">
        {name} {term !== undefined && <Term title={name} of={[term]} />}
      </span>
      <b>{value}</b>
    </div>
  );
}

function Cost({ plan: { estimate, steps }, onEstimate }: Omit<Props, 'wasEstimated'>) {
  if (estimate === null)
    return (
      <div>
        <span className="small muted">Memory and time</span>
        {onEstimate === undefined ? (
          <span className="faint">estimating …</span>
        ) : (
          <button type="button" onClick={onEstimate}>
            Estimate
          </button>
        )}
      </div>
    );
  const seconds = estimate.expected.secondsPerStep;
  return (
    <>
      <Fact
        name="Estimated memory"
        term="RunPlan.estimate.expected.peakBytes"
        value={formatBytes(estimate.expected.peakBytes)}
      />
      <Fact
        name="Estimated time on the server"
        term="RunPlan.estimate.expected.secondsPerStep"
        value={seconds === null || seconds === undefined ? 'unknown' : formatSeconds(seconds * steps)}
      />
    </>
  );
}

/** What a fork changes, its parent's value beside. */
function Differences({ plan }: { readonly plan: RunPlan }) {
  return (
    <table className="actions differences">
      <thead>
        <tr>
          <th>Changed</th>
          <th>Parent</th>
          <th>Fork</th>
        </tr>
      </thead>
      <tbody>
        {plan.differences.map(({ path, values: [before, now] }) => (
          <tr key={path}>
            <td className="mono">{toVisible(path)}</td>
            <td className="mono">{toVisible(JSON.stringify(before ?? null))}</td>
            <td className="mono">{toVisible(JSON.stringify(now ?? null))}</td>
          </tr>
        ))}
        {plan.differences.length === 0 && (
          <tr>
            <td colSpan={3} className="muted">
              Nothing:{' '}
              {plan.continues
                ? 'this is a twin, which must reproduce its parent.'
                : 'it starts anew from the weights of the checkpoint.'}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

import { toPath } from '../routing/router.js';
import { Link } from '../routing/link.js';
import { formatShare } from '../format/numbers.js';
import { type Flow, leftAfter, type Stage } from './flow.js';
import type { Range } from '../routing/run-filter.js';

interface Props {
  readonly runId: string;
  readonly range: Range;
  readonly flow: Flow;
  /** the engine told for no trained token whether it was clipped */
  readonly isClippingUnknown: boolean;
}

/** Stage by stage what was taken away: a bar on the scale of all sampled tokens, and counts that lead to what they count. */
export function FlowTable({ runId, range, flow, isClippingUnknown }: Props) {
  const left = leftAfter(flow);
  const link = (search: Readonly<Record<string, string>>): string => {
    const params = { from: String(range.from), to: String(range.to), ...search };
    return `${toPath('runs', runId, 'trajectories')}?${new URLSearchParams(params).toString()}`;
  };
  return (
    <table className="flow" aria-label="Where the sampled tokens went">
      <thead>
        <tr>
          <th>Stage</th>
          <th className="number-cell">Trajectories</th>
          <th className="number-cell">Tokens</th>
          <th className="number-cell">Share</th>
          <th className="bar-cell">
            <span className="visually-hidden">Tokens as a bar</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">sampled</th>
          <td className="number-cell">
            <Link href={link({ split: 'train' })}>{count(flow.trajectories)}</Link>
          </td>
          <td className="number-cell">{count(flow.tokens)}</td>
          <td className="number-cell">100 %</td>
          <td className="bar-cell">
            <Bar start={0} end={1} kind="all" />
          </td>
        </tr>
        {flow.stages.map((stage, index) => (
          <tr key={stage.id} data-stage={stage.id}>
            <th scope="row" title={stage.meaning}>
              {stage.label}
            </th>
            <td className="number-cell">
              {stage.trajectories === undefined ? (
                <span className="faint" title="This stage divides tokens of trained trajectories">
                  –
                </span>
              ) : (
                <Link href={link(stage.search)}>{count(stage.trajectories)}</Link>
              )}
            </td>
            <td className="number-cell">
              <Link href={link(stage.search)}>{count(stage.tokens)}</Link>
            </td>
            <td className="number-cell">
              {flow.tokens === 0 ? '–' : formatShare(stage.tokens / flow.tokens)}
            </td>
            <td className="bar-cell">
              <Bar {...placeOf(stage, left[index] ?? 0, flow.tokens)} />
            </td>
          </tr>
        ))}
        {isClippingUnknown && (
          <tr>
            <th scope="row">clipped</th>
            <td className="faint" colSpan={4}>
              not recorded: this engine gives no ratio of single tokens
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** A count is exact: 12,345 is never 12.3 k here, as its sum is checked. */
const count = (value: number): string => value.toLocaleString('en');

interface Place {
  readonly start: number;
  readonly end: number;
  readonly kind: 'all' | 'lost' | 'clipped' | 'trained';
}

function placeOf({ id, tokens }: Stage, left: number, all: number): Place {
  if (all === 0) return { start: 0, end: 0, kind: 'lost' };
  if (id === 'trained') return { start: 0, end: tokens / all, kind: 'trained' };
  return { start: left / all, end: (left + tokens) / all, kind: id === 'clipped' ? 'clipped' : 'lost' };
}

const Bar = ({ start, end, kind }: Place) => (
  <svg className="flow-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect className="rest" x="0" y="0" width={start * 100} height="10" />
    <rect
      className={kind}
      x={start * 100}
      y="0"
      width={Math.max(end > start ? 0.4 : 0, (end - start) * 100)}
      height="10"
    />
  </svg>
);

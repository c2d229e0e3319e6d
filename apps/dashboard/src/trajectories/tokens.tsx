/** @file Every sampled token, coloured by what is stored of it; what is absent is hatched, and said. */
import type { TrajectoryDetails } from '@espalier/client';
import { useEffect, useMemo } from 'react';
import { formatNumber, formatShare } from '../format/numbers.js';
import { toVisible, toVisibleToken } from '../format/visible-text.js';
import { useSearch } from '../routing/router.js';
import {
  type Measure,
  placeOf,
  type SampledToken,
  scales,
  tokensByTurn,
  type TokenTurn,
} from './token-texts.js';

const measures: readonly (readonly [Measure, string])[] = [
  ['logprob', 'Log-probability'],
  ['entropy', 'Entropy'],
];

export function Tokens({ trajectory }: { readonly trajectory: TrajectoryDetails }) {
  const [search, setSearch] = useSearch();
  const measure = measures.find(([name]) => name === search.get('by'))?.[0] ?? 'logprob';
  const turns = useMemo(() => tokensByTurn(trajectory), [trajectory]);
  const all = useMemo(() => turns.flatMap(({ sampled }) => sampled), [turns]);
  const chosen = all.find(({ index }) => String(index) === search.get('token'));
  const choose = (token: SampledToken | undefined): void => setSearch({ token: token?.index.toString() });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement || !['ArrowLeft', 'ArrowRight'].includes(event.key))
        return;
      const at = chosen === undefined ? -1 : all.indexOf(chosen);
      const next = all[at + (event.key === 'ArrowRight' ? 1 : -1)];
      if (next === undefined || chosen === undefined) return;
      event.preventDefault();
      choose(next);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
  const { from, to } = scales[measure];
  return (
    <div className="stack">
      <div className="row">
        <div className="segmented" role="group" aria-label="Colour by">
          {measures.map(([name, label]) => (
            <button key={name} aria-pressed={measure === name} onClick={() => setSearch({ by: name })}>
              {label}
            </button>
          ))}
        </div>
        <span className="legend-bar small muted">
          {formatNumber(from)}
          <i className={measure} />
          {formatNumber(to)} nats
          <i className="hatched" /> not recorded
        </span>
      </div>
      <p className="small muted">
        {trajectory.textEnds === null &&
          'The texts of tokens are not recorded in this run: ids stand in their place. '}
        Advantages, ratios and clipping are not stored with trajectories. Choose a token; ← and → go on from
        it.
      </p>
      <div className="microscope">
        <div className="stack">
          {turns.map((turn) => (
            <TurnTokens key={turn.turn} turn={turn} measure={measure} chosen={chosen} choose={choose} />
          ))}
        </div>
        <Detail token={chosen} evidence={trajectory.score.evidence} />
      </div>
    </div>
  );
}

interface TurnProps {
  readonly turn: TokenTurn;
  readonly measure: Measure;
  readonly chosen: SampledToken | undefined;
  choose(token: SampledToken): void;
}

function TurnTokens({ turn, measure, chosen, choose }: TurnProps) {
  return (
    <section className="card token-turn">
      <header className="small muted">
        Turn {turn.turn + 1} · {turn.read} tokens read, not sampled · {turn.sampled.length} sampled
      </header>
      <div className="tokens">
        {turn.sampled.map((token) => (
          <TokenMark
            key={token.index}
            token={token}
            measure={measure}
            isChosen={chosen?.index === token.index}
            choose={choose}
          />
        ))}
      </div>
    </section>
  );
}

interface MarkProps {
  readonly token: SampledToken;
  readonly measure: Measure;
  readonly isChosen: boolean;
  choose(token: SampledToken): void;
}

function TokenMark({ token, measure, isChosen, choose }: MarkProps) {
  const place = placeOf(token, measure);
  const text = token.text === undefined ? String(token.id ?? '?') : toVisibleToken(token.text);
  const background =
    place === undefined
      ? undefined
      : `color-mix(in srgb, var(--token-${measure}) ${Math.round(place * 75)}%, transparent)`;
  return (
    <>
      <button
        className={`token ${place === undefined ? 'hatched' : ''} ${token.kind}`}
        style={background === undefined ? {} : { background }}
        aria-pressed={isChosen}
        title={`${toVisible(token.text ?? '')} · log-probability ${formatNumber(token.logprob)} · entropy ${formatNumber(token.entropy)}`}
        data-token={token.index}
        onClick={() => choose(token)}
      >
        {text === '' ? (token.kind === 'control' ? '⟨end of turn⟩' : '∅') : text}
      </button>
      {token.text?.includes('\n') === true && <br />}
    </>
  );
}

const kinds: Readonly<Record<string, string>> = {
  think: 'reasoning',
  answer: 'answer',
  control: 'end of turn',
  template: 'given',
};

function Detail({
  token,
  evidence,
}: {
  readonly token: SampledToken | undefined;
  readonly evidence: TrajectoryDetails['score']['evidence'];
}) {
  if (token === undefined)
    return <aside className="card token-detail faint small">No token is chosen.</aside>;
  const earned = evidence.filter(({ start, end }) => token.index >= start && token.index < end);
  const rows: readonly (readonly [string, string])[] = [
    ['Position', String(token.index)],
    ['Id', String(token.id ?? 'unreadable')],
    ['Part of', kinds[token.kind] ?? token.kind],
    ['Log-probability', token.logprob === null ? 'not recorded' : `${formatNumber(token.logprob)} nats`],
    ['Probability', token.logprob === null ? 'not recorded' : formatShare(Math.exp(token.logprob))],
    ['Entropy', token.entropy === null ? 'not recorded' : `${formatNumber(token.entropy)} nats`],
    ['Advantage', 'not stored'],
    ...earned.map(({ reward, value }): [string, string] => [
      `Evidence of ${toVisible(reward)}`,
      formatNumber(value),
    ]),
  ];
  return (
    <aside className="card token-detail" aria-live="polite">
      <div className="mono big">
        {token.text === undefined
          ? 'text not recorded'
          : toVisibleToken(token.text) || (token.kind === 'control' ? '⟨end of turn⟩' : '∅')}
      </div>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}

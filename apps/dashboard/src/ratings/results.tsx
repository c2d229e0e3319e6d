/** @file What the ratings of a set say: preference or scores, agreement, and the items, disagreements first. */
import { Term } from '../charts/term.js';
import { useMutation } from '@tanstack/react-query';
import type { OpenedRatingSet } from '../data/types.js';
import { formatNumber, formatShare } from '../format/numbers.js';
import { offerFile } from '../parts/offer-file.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useSession } from '../session/session-context.js';

type RatingResults = NonNullable<OpenedRatingSet['results']>;
type Place = RatingResults['items'][number]['places'][number];
type Source = NonNullable<OpenedRatingSet['sources']>[number];

interface Props {
  readonly set: OpenedRatingSet;
  readonly results: RatingResults;
}

const letters = ['A', 'B'];
const levels = { nominal: 'nominal', ordinal: 'ordinal', interval: 'interval' } as const;

export function Results({ set, results }: Props) {
  return (
    <>
      <section className="card" aria-label="Results">
        <header>
          <h2>Results</h2>
          <Term
            title="each result of a rating set"
            of={[
              'RatingResults.preference.winRate',
              'RatingResults.criteria.mean',
              'RatingResults.agreements.alpha',
              'RatingResults.agreements.units',
              'RatingResults.items.disagreement',
            ]}
          />
          <span className="faint small">
            of {results.raters.length} {results.raters.length === 1 ? 'rater' : 'raters'}
            {set.closedAt === null && ', those who have finished'}
          </span>
        </header>
        <Sources sources={set.sources ?? []} />
        {results.preference !== null && <PreferenceLine preference={results.preference} />}
        {results.criteria.length > 0 && <Scores set={set} results={results} />}
        <Agreements agreements={results.agreements} />
        <Downloads set={set} />
      </section>
      <Items results={results} />
    </>
  );
}

function Sources({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <ul className="sources small">
      {sources.map(({ runId, runName, fromStep, toStep, split, taken, available }, index) => (
        <li key={index}>
          <b>{letters[index]}</b>{' '}
          <Link href={toPath('runs', runId)}>
            <Text of={runName} />
          </Link>{' '}
          {fromStep === toStep ? `step ${fromStep}` : `steps ${fromStep}–${toStep}`}
          {split !== null && `, ${split}`} · {taken} of {available}
        </li>
      ))}
    </ul>
  );
}

function PreferenceLine({ preference }: { readonly preference: NonNullable<RatingResults['preference']> }) {
  const { wins, ties, losses, winRate, low, high } = preference;
  const all = Math.max(1, wins + ties + losses);
  return (
    <div className="preference">
      <div className="preference-bar" aria-hidden="true">
        <i style={{ width: `${(100 * wins) / all}%`, background: 'var(--data-1)' }} />
        <i style={{ width: `${(100 * ties) / all}%`, background: 'var(--line-strong)' }} />
        <i style={{ width: `${(100 * losses) / all}%`, background: 'var(--data-2)' }} />
      </div>
      <p>
        A won <b>{wins}</b>, B won <b>{losses}</b>, <b>{ties}</b> {ties === 1 ? 'tie' : 'ties'}.{' '}
        {winRate === null ? (
          'No pair is decided.'
        ) : (
          <>
            Of the decided pairs A won <b>{formatShare(winRate)}</b>{' '}
            <span className="muted">
              [{formatShare(low)}, {formatShare(high)}]
            </span>
            .
          </>
        )}
      </p>
      <p className="faint small">
        By the majority of the raters of each pair; 95 % Wilson interval, ties left out.
      </p>
    </div>
  );
}

function Scores({ set, results }: Props) {
  const sources = set.sources ?? [];
  return (
    <div className="scrolls">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Criterion</th>
            {sources.map((_, index) => (
              <th key={index}>{sources.length > 1 ? letters[index] : 'Mean'}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {set.criteria.map(({ name, question, scale }) => (
            <tr key={name}>
              <th scope="row" title={question}>
                <Text of={name} />{' '}
                <span className="faint small">{scale === 'yes-no' ? 'share of yes' : '1–5'}</span>
              </th>
              {sources.map((_, index) => {
                const mean = results.criteria.find((one) => one.criterion === name && one.source === index);
                return (
                  <td key={index}>
                    {formatNumber(mean?.mean)}{' '}
                    {typeof mean?.low === 'number' && (
                      <span className="muted small">
                        [{formatNumber(mean.low)}, {formatNumber(mean.high)}]
                      </span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Agreements({ agreements }: { readonly agreements: RatingResults['agreements'] }) {
  return (
    <div className="scrolls">
      <table className="plain-table agreement">
        <thead>
          <tr>
            <th>Agreement of the raters</th>
            <th>Krippendorff’s α</th>
            <th>95 % interval</th>
            <th>Rated by several</th>
          </tr>
        </thead>
        <tbody>
          {agreements.map(({ criterion, level, alpha, low, high, units, ratings }) => (
            <tr key={`${criterion}/${level}`}>
              <th scope="row">
                {criterion !== null && <Text of={criterion} />}{' '}
                <span className="faint small">{levels[level]}</span>
              </th>
              <td data-level={level}>{alpha === null ? 'undefined' : alpha.toFixed(3)}</td>
              <td>{low === null || high === null ? '–' : `[${low.toFixed(2)}, ${high.toFixed(2)}]`}</td>
              <td>
                {units} items, {ratings} ratings
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {agreements.some(({ alpha }) => alpha === null) && (
        <p className="faint small" style={{ padding: '6px 16px' }}>
          α is undefined where no item has two ratings, or all ratings are equal.
        </p>
      )}
    </div>
  );
}

function Downloads({ set }: { readonly set: OpenedRatingSet }) {
  const { client } = useSession();
  const save = useMutation({
    mutationFn: async (format: 'ratings' | 'preferences') => {
      const bytes = await (await client.ratings.export(set.id, format)).blob();
      offerFile(`${set.id}-${format}.jsonl`, bytes);
    },
  });
  return (
    <div className="row downloads">
      <button onClick={() => save.mutate('ratings')}>Export ratings</button>
      {set.kind === 'pairwise' && (
        <button onClick={() => save.mutate('preferences')}>
          Export preferences (prompt, chosen, rejected)
        </button>
      )}
      <span className="faint small">JSON Lines</span>
      {save.error !== null && <ErrorNote error={save.error} />}
    </div>
  );
}

function Items({ results }: { readonly results: RatingResults }) {
  return (
    <section className="card" aria-label="Items">
      <header>
        <h2>Items</h2>
        <span className="faint small">those about which raters differ most first</span>
      </header>
      <ul className="rated-items">
        {results.items.map(({ position, places, source, ratings, disagreement }) => (
          <li key={position}>
            <div className="row small">
              {places.map((place, index) => (
                <PlaceLink
                  key={index}
                  place={place}
                  letter={letters[places.length > 1 ? index : source] ?? ''}
                />
              ))}
              {disagreement !== null && disagreement > 0 && (
                <span className="tag">{formatShare(disagreement)} of pairs of raters differ</span>
              )}
            </div>
            <ul className="small">
              {ratings.map(({ rater, choice, scores, reason }) => (
                <li key={rater}>
                  <b>
                    <Text of={rater} />
                  </b>{' '}
                  {choice === null ? '' : choice === 'tie' ? 'tie' : `${choice.toUpperCase()} is better`}
                  {scores?.map(({ criterion, value }) => (
                    <span key={criterion} className="tag">
                      <Text of={criterion} /> {value}
                    </span>
                  ))}
                  {reason !== '' && (
                    <span className="muted">
                      {' '}
                      — <Text of={reason} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

function PlaceLink({ place, letter }: { readonly place: Place; readonly letter: string }) {
  const { runId, trajectoryId, success, reward } = place;
  return (
    <span>
      <b>{letter}</b>{' '}
      <Link href={toPath('runs', runId, 'trajectories', trajectoryId)} className="mono">
        {trajectoryId}
      </Link>{' '}
      <span className="muted">
        {success === null ? 'no longer stored' : success ? 'success' : 'no success'}
        {reward !== null && `, reward ${formatNumber(reward)}`}
      </span>
    </span>
  );
}

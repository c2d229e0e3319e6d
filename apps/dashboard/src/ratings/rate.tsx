/** @file Rating, keyboard first: 1 to 5 and y, n for criteria; ←, →, t for pairs; u takes back; Enter goes on. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { OpenedRatingSet, RatedItem } from '../data/types.js';
import { formatCount } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { isTyping } from '../parts/is-typing.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useSession } from '../session/session-context.js';

type Choice = 'left' | 'right' | 'tie';
interface Given {
  readonly choice?: Choice;
  readonly scores?: { readonly criterion: string; readonly value: number }[];
}

export function Rate({ set }: { readonly set: OpenedRatingSet }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const { items } = set.task;
  const [skipped, setSkipped] = useState<readonly number[]>([]);
  // the last that was rated here, which undo takes back
  const [done, setDone] = useState<readonly number[]>([]);
  const rated = items.filter(({ isRated }) => isRated);
  const open = items.find(({ position, isRated }) => !isRated && !skipped.includes(position));
  const reload = (): Promise<void> => queries.invalidateQueries({ queryKey: ['rating-set', set.id] });
  const rate = useMutation({
    mutationFn: ({ position, ...given }: Given & { position: number; reason: string }) =>
      client.ratings.rate(set.id, position, given),
    onSuccess: async (_, { position }) => {
      setDone((old) => [...old, position]);
      await reload();
    },
  });
  const undo = useMutation({
    mutationFn: (position: number) => client.ratings.undo(set.id, position),
    onSuccess: async (_, position) => {
      setDone((old) => old.filter((one) => one !== position));
      setSkipped([]);
      await reload();
    },
  });
  const finish = useMutation({ mutationFn: () => client.ratings.finish(set.id), onSuccess: reload });
  const last = done.at(-1) ?? rated.at(-1)?.position;
  const takeBack = (): void => {
    if (last !== undefined && !undo.isPending) undo.mutate(last);
  };
  useKeys({ u: takeBack });
  const isBusy = rate.isPending || undo.isPending;
  const failure = rate.error ?? undo.error ?? finish.error;
  return (
    <section className="rate" aria-label="Rate">
      <div className="row between">
        <progress max={items.length} value={rated.length} aria-label="Rated" />
        <span className="small muted">
          {rated.length} of {items.length} rated
        </span>
        <button disabled={last === undefined || isBusy} onClick={takeBack} title="key u">
          Undo <kbd>u</kbd>
        </button>
      </div>
      {failure !== null && <ErrorNote error={failure} />}
      {open === undefined ? (
        <div className="notice">
          <h2>
            {rated.length === items.length
              ? 'All rated'
              : `${items.length - rated.length} cannot be rated any more`}
          </h2>
          <p>
            When you finish, you see what everyone said and where each came from, and change nothing more.
          </p>
          <button className="primary" disabled={finish.isPending} onClick={() => finish.mutate()}>
            Finish and see the results
          </button>
        </div>
      ) : (
        <Item
          key={open.position}
          set={set}
          position={open.position}
          isBusy={isBusy}
          onRate={(given) => rate.mutate({ ...given, position: open.position })}
          onSkip={() => setSkipped((old) => [...old, open.position])}
        />
      )}
    </section>
  );
}

interface ItemProps {
  readonly set: OpenedRatingSet;
  readonly position: number;
  readonly isBusy: boolean;
  onRate(given: Given & { readonly reason: string }): void;
  onSkip(): void;
}

function Item({ set, position, isBusy, onRate, onSkip }: ItemProps) {
  const { client } = useSession();
  const [reason, setReason] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['rating-item', set.id, position],
    queryFn: () => client.ratings.item(set.id, position),
    staleTime: Infinity,
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting what="what is to be rated" />;
  const missing = data.sides.find((side) => side.missing !== null)?.missing;
  if (typeof missing === 'string')
    return (
      <div className="notice">
        <h2>It cannot be rated</h2>
        <p>
          One of its trajectories cannot be shown: <Text of={missing} />.
        </p>
        <button onClick={onSkip}>Leave it out</button>
      </div>
    );
  return (
    <>
      <Sides item={data} />
      <div className="rating-bar card">
        {set.kind === 'pairwise' ? (
          <Pair isBusy={isBusy} onChoose={(choice) => onRate({ choice, reason })} />
        ) : (
          <Criteria set={set} isBusy={isBusy} onScore={(scores) => onRate({ scores, reason })} />
        )}
        <input
          aria-label="Reason"
          placeholder="Reason (optional)"
          maxLength={5000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
    </>
  );
}

function Sides({ item }: { readonly item: RatedItem }) {
  const isPair = item.sides.length === 2;
  const names = isPair ? ['Left', 'Right'] : ['Trajectory'];
  return (
    <div className={isPair ? 'two rated-pair' : ''}>
      {item.sides.map(({ turns }, side) => (
        <section key={names[side]} className="card side" aria-label={names[side]}>
          <header>
            <h2>{names[side]}</h2>
            <span className="faint small">{formatCount(turns.length, 'turn')}</span>
          </header>
          {/* what scrolls can be reached by keyboard */}
          <div className="side-text" tabIndex={0} role="group" aria-label={`${names[side]}, text`}>
            {turns.map(({ observation, response }, index) => (
              <div key={index}>
                <pre className="muted">
                  <Text of={observation} />
                </pre>
                <pre className="model">
                  {response === '' ? (
                    <span className="faint">an empty response</span>
                  ) : (
                    <Text of={response} />
                  )}
                </pre>
              </div>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

interface PairProps {
  readonly isBusy: boolean;
  onChoose(choice: Choice): void;
}

function Pair({ isBusy, onChoose }: PairProps) {
  const choose = (choice: Choice) => (): void => {
    if (!isBusy) onChoose(choice);
  };
  useKeys({ ArrowLeft: choose('left'), ArrowRight: choose('right'), t: choose('tie') });
  return (
    <div className="row choices">
      <button disabled={isBusy} onClick={choose('left')} title="key ←">
        <kbd>←</kbd> Left is better
      </button>
      <button disabled={isBusy} onClick={choose('tie')} title="key t">
        Tie <kbd>t</kbd>
      </button>
      <button disabled={isBusy} onClick={choose('right')} title="key →">
        Right is better <kbd>→</kbd>
      </button>
    </div>
  );
}

interface CriteriaProps {
  readonly set: OpenedRatingSet;
  readonly isBusy: boolean;
  onScore(scores: { criterion: string; value: number }[]): void;
}

function Criteria({ set: { criteria }, isBusy, onScore }: CriteriaProps) {
  const [values, setValues] = useState<Readonly<Record<string, number>>>({});
  const current = criteria.find(({ name }) => values[name] === undefined);
  const give = (name: string, value: number): void => setValues((old) => ({ ...old, [name]: value }));
  const isComplete = current === undefined;
  const send = (): void => {
    if (isComplete && !isBusy)
      onScore(criteria.map(({ name }) => ({ criterion: name, value: values[name] ?? 0 })));
  };
  const press = (value: number, scale: string) => (): void => {
    if (current?.scale === scale) give(current.name, value);
  };
  useKeys({
    ...Object.fromEntries([1, 2, 3, 4, 5].map((value) => [String(value), press(value, 'one-to-five')])),
    y: press(1, 'yes-no'),
    n: press(0, 'yes-no'),
    Enter: send,
  });
  return (
    <div className="criteria">
      {criteria.map(({ name, question, scale, low, high }) => (
        <fieldset key={name} className={current?.name === name ? 'current' : ''}>
          <legend>
            <Text of={question} />
          </legend>
          <div className="segmented" role="group" aria-label={toVisible(question)}>
            {(scale === 'yes-no' ? [0, 1] : [1, 2, 3, 4, 5]).map((value) => (
              <button
                key={value}
                type="button"
                aria-pressed={values[name] === value}
                onClick={() => give(name, value)}
              >
                {scale === 'yes-no' ? (value === 1 ? 'Yes (y)' : 'No (n)') : value}
              </button>
            ))}
          </div>
          <span className="faint small">
            {low !== '' && (
              <>
                {scale === 'yes-no' ? 'no' : 1}: <Text of={low} />
              </>
            )}
            {high !== '' && (
              <>
                {' · '}
                {scale === 'yes-no' ? 'yes' : 5}: <Text of={high} />
              </>
            )}
          </span>
        </fieldset>
      ))}
      <button className="primary" disabled={!isComplete || isBusy} onClick={send}>
        Next <kbd>Enter</kbd>
      </button>
    </div>
  );
}

/** Calls back on keys, outside of fields that take text. */
function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      const isWriting = isTyping(event) || document.querySelector('dialog[open]') !== null;
      // Enter on a button is its click
      const isButton =
        key === 'Enter' && (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement);
      const act = newest.current[key];
      if (isWriting || isButton || ctrlKey || metaKey || altKey || act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** @file Any environment, played by hand: chosen with its options and seeds; all of it is in the address, so a link shows the same state. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { PlayedState } from '../data/types.js';
import { formatCount } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { useSearch } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { Section } from '../start/option-form.js';
import { chosenBranch, pluginsOf, type Schema } from '../start/spec-schema.js';
import { type Options, readOptions, readPlayed, readSeed, withOption } from './address.js';
import { Board } from './board.js';
import '../styles/turning.css';
import '../styles/play.css';

const usual = 'frozen-lake';

export default function PlayPage() {
  const { client } = useSession();
  const mayAct = useMayAct();
  const schema = useQuery({
    queryKey: ['spec-schema'],
    queryFn: async () => (await (await client.rest('/api/v1/run-spec-schema')).json()) as Schema,
    staleTime: Infinity,
  });
  useEffect(() => {
    document.title = 'Play · Espalier';
  }, []);
  if (!mayAct)
    return (
      <Notice title="Playing needs the operator role">
        <p>It creates environments on the server, and your key is read-only.</p>
      </Notice>
    );
  if (schema.error !== null) return <ErrorNote error={schema.error} retry={() => void schema.refetch()} />;
  if (schema.data === undefined) return <Waiting what="the environments" />;
  return <Player schema={schema.data.properties?.['environment'] ?? {}} />;
}

function Player({ schema }: { readonly schema: Schema }) {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const known = pluginsOf(schema);
  const use = search.get('env') ?? (known.includes(usual) ? usual : (known[0] ?? ''));
  const options = readOptions(search.get('options'));
  const seed = readSeed(search.get('seed')) ?? 0;
  const noiseSeed = readSeed(search.get('noise'));
  const played = readPlayed(search.get('played'));
  const play = { environment: { ...options, use }, seed, noiseSeed, actions: played };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['play', play],
    queryFn: () =>
      client.environments.play({
        environment: play.environment,
        seed,
        actions: played,
        ...(noiseSeed !== undefined && { noiseSeed }),
      }),
    // a state of another environment would look like one of this
    placeholderData: (old, before) => {
      const known = before?.queryKey[1] as typeof play | undefined;
      return JSON.stringify(known?.environment) === JSON.stringify(play.environment) ? old : undefined;
    },
    staleTime: Infinity,
    retry: false,
  });
  const start = (change: Readonly<Record<string, string | undefined>>): void =>
    setSearch({ played: undefined, ...change });
  return (
    <div className="stack">
      <h1>Play</h1>
      <p className="muted">
        An environment as a policy meets it. The address keeps options, seeds and actions; nothing is stored.
      </p>
      <div className="play">
        <Setup schema={schema} use={use} options={options} seed={seed} noiseSeed={noiseSeed} start={start} />
        <section className="card play-on" aria-label="State">
          <header>
            <h2 className="mono">{toVisible(use)}</h2>
            <span className="small muted" role="status">
              {isFetching ? 'playing …' : `after ${formatCount(data?.steps.length ?? 0, 'action')}`}
            </span>
          </header>
          <div className="note stack tight">
            {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
            {error !== null && played.length > 0 && (
              <p>
                <button onClick={() => setSearch({ played: written(played.slice(0, -1)) })}>
                  Take the last action back
                </button>
              </p>
            )}
            {error === null && data === undefined && <p className="muted">Creating the environment …</p>}
            {error === null && data !== undefined && (
              <>
                <Board
                  state={data}
                  alt={`State after ${formatCount(data.steps.length, 'action')}`}
                  isBusy={isFetching}
                  played={played}
                  onPlay={(actions) => setSearch({ played: written(actions) })}
                />
                <Told state={data} />
              </>
            )}
          </div>
        </section>
      </div>
    </div>
  );
}

const written = (actions: readonly string[]): string | undefined =>
  actions.length === 0 ? undefined : JSON.stringify(actions);

interface SetupProps {
  readonly schema: Schema;
  readonly use: string;
  readonly options: Options;
  readonly seed: number;
  readonly noiseSeed: number | undefined;
  start(change: Readonly<Record<string, string | undefined>>): void;
}

/** Environment, options and seeds; a change of any begins anew. */
function Setup({ schema, use, options, seed, noiseSeed, start }: SetupProps) {
  const value = { ...options, use };
  const about = chosenBranch(schema, value).description;
  const set = (path: readonly (string | number)[], next: unknown): void => {
    const given = withOption({ environment: value }, path, next)['environment'] ?? {};
    const { use: chosen, ...rest } = given as Options;
    const changed = Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest);
    start({ env: typeof chosen === 'string' ? chosen : undefined, options: changed });
  };
  return (
    <section className="card note stack tight play-setup" aria-label="Environment and seeds">
      {about !== undefined && <p className="small muted">{toVisible(about)}</p>}
      <div className="option-form">
        <Section
          path={['environment']}
          schema={schema}
          value={value}
          problems={[]}
          isFull={false}
          set={set}
        />
      </div>
      <div className="row">
        <label className="small muted">
          State seed{' '}
          <input
            className="number"
            inputMode="numeric"
            value={seed}
            onChange={({ target }) => start({ seed: target.value })}
          />
        </label>
        <label className="small muted">
          Noise seed{' '}
          <input
            className="number"
            inputMode="numeric"
            placeholder={String(seed)}
            value={noiseSeed ?? ''}
            onChange={({ target }) => start({ noise: target.value })}
          />
        </label>
        <button onClick={() => start({ seed: String(seed + 1) })}>Next seed</button>
      </div>
    </section>
  );
}

/** What the model would be shown, what the symbols mean, and what the environment tells of the state. */
function Told({ state }: { readonly state: PlayedState }) {
  const facts = Object.entries(state.facts as Options);
  return (
    <details className="told">
      <summary>What the model is shown, and facts of the state</summary>
      <pre className="part">{toVisible(state.observation)}</pre>
      {state.legend.length > 0 && (
        <p className="small muted">
          {state.legend.map(({ symbol, meaning }) => `${toVisible(symbol)} ${toVisible(meaning)}`).join(', ')}
        </p>
      )}
      {facts.length > 0 && (
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{toVisible(name)}</dt>
              <dd className="mono">{toVisible(JSON.stringify(value))}</dd>
            </div>
          ))}
        </dl>
      )}
    </details>
  );
}

/** @file A new run: from a recipe or from another run, as a form and as YAML, which are the same; its plan; start. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { navigate, toPath, useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { OptionForm } from './option-form.js';
import type { Schema } from './spec-schema.js';
import { readSpec, setOption, toStartText } from './spec-text.js';
import { StartForm } from './start-form.js';
import { usePlan } from './use-plan.js';

const Editor = lazy(() => import('./editor.js'));
const usual = 'bandit-starpo-s';

export default function StartPage() {
  const { client } = useSession();
  const [search] = useSearch();
  const [recipe, runId] = [search.get('recipe') ?? usual, search.get('run')];
  const recipes = useQuery({ queryKey: ['recipes'], queryFn: () => client.overview.recipes() });
  const parent = useQuery({
    queryKey: ['run', runId],
    queryFn: () => client.runs.get(runId ?? ''),
    enabled: runId !== null,
  });
  const schema = useQuery({
    queryKey: ['spec-schema'],
    queryFn: async () => (await (await client.rest('/api/v1/run-spec-schema')).json()) as Schema,
    staleTime: Infinity,
  });
  useEffect(() => {
    document.title = 'New run · Espalier';
  }, []);
  const error = recipes.error ?? parent.error ?? schema.error;
  if (error !== null) return <ErrorNote error={error} retry={() => void schema.refetch()} />;
  if (recipes.data === undefined || schema.data === undefined) return <Waiting what="the recipes" />;
  if (runId !== null && parent.data === undefined) return <Waiting what="the run" />;
  const chosen = recipes.data.find(({ name }) => name === recipe);
  const run = parent.data;
  const text =
    runId !== null && run !== undefined
      ? toStartText(run.source, run.overrides, run.spec)
      : (chosen?.source ?? '');
  const names = recipes.data.map(({ name }) => name);
  return (
    <div className="stack">
      <h1>New run</h1>
      <div className="row">
        <label htmlFor="recipe">From the recipe</label>
        <select
          id="recipe"
          value={runId === null ? recipe : ''}
          onChange={({ target }) => navigate(`/new?recipe=${encodeURIComponent(target.value)}`)}
        >
          {(runId !== null || !names.includes(recipe)) && (
            <option value={runId === null ? recipe : ''}>{runId === null ? recipe : 'none'}</option>
          )}
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {run !== undefined && runId !== null && (
          <span className="muted">
            from the run <Link href={toPath('runs', runId)}>{toVisible(run.title || run.name)}</Link>
          </span>
        )}
        {runId === null && chosen !== undefined && <span className="muted small">{chosen.title}</span>}
      </div>
      {names.length === 0 && runId === null && (
        <Notice title="This installation has no recipes">
          <p>Write a configuration on the right, or start from a run: its page has “New run from this”.</p>
        </Notice>
      )}
      <Composer key={`${recipe} ${runId ?? ''}`} start={text} schema={schema.data} />
    </div>
  );
}

function Composer({ start, schema }: { readonly start: string; readonly schema: Schema }) {
  const { client } = useSession();
  const [text, setText] = useState(start);
  const [view, setView] = useState<'both' | 'form' | 'yaml'>(() =>
    window.innerWidth < 900 ? 'form' : 'both',
  );
  const [isFull, setFull] = useState(false);
  const planned = usePlan(text, (estimate) => client.runs.plan({ source: text }, estimate));
  const parsed = readSpec(text);
  const [value, setValue] = useState(parsed ?? {});
  // the form stays as it was while the text does not parse
  useEffect(() => {
    const next = readSpec(text);
    if (next !== undefined) setValue(next);
  }, [text]);
  const pick = (name: typeof view, label: string) => (
    <button type="button" aria-pressed={view === name} onClick={() => setView(name)}>
      {label}
    </button>
  );
  return (
    <>
      <div className="row between">
        <div className="segmented" role="group" aria-label="How to edit">
          {pick('form', 'Form')}
          {pick('both', 'Both')}
          {pick('yaml', 'YAML')}
        </div>
        <label className="row small">
          <input type="checkbox" checked={isFull} onChange={({ target }) => setFull(target.checked)} />
          Every option
        </label>
      </div>
      <div className="composer" data-view={view}>
        {view !== 'yaml' && (
          <section className="card form-card" aria-label="Options">
            {parsed === undefined && (
              <p className="hint">The YAML does not parse. The form follows again when it does.</p>
            )}
            <OptionForm
              schema={schema}
              value={value}
              problems={planned.problems}
              isFull={isFull}
              set={(path, next) => setText((old) => setOption(old, path, next))}
            />
          </section>
        )}
        {view !== 'form' && (
          <section className="card editor-card" aria-label="YAML">
            <Suspense fallback={<Waiting what="the editor" />}>
              <Editor text={text} schema={schema} problems={planned.problems} onChange={setText} />
            </Suspense>
          </section>
        )}
        <section className="card plan-card" aria-label="Plan">
          <header>
            <h2>Plan</h2>
          </header>
          <div className="pad stack">
            <StartForm
              what="run"
              planned={planned}
              button="Start run"
              hasPlaces
              start={(given) => client.runs.create({ source: text, ...given })}
              onStarted={({ id }) => navigate(toPath('runs', id))}
            />
          </div>
        </section>
      </div>
    </>
  );
}

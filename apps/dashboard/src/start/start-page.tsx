/** @file A new run: from a recipe or from another run, as a form and as YAML, which are the same; its plan; start. */
import type { RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Recipe } from '../data/types.js';
import { toVisible } from '../format/visible-text.js';
import { Confirm } from '../parts/confirm.js';
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
  const [isEdited, setEdited] = useState(false);
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
  const retry = (): void => {
    for (const one of [recipes, parent, schema]) if (one.isError) void one.refetch();
  };
  // what is there stays, with what was typed, when it is read again and there is no answer
  if (
    recipes.data === undefined ||
    schema.data === undefined ||
    (runId !== null && parent.data === undefined)
  )
    return error === null ? (
      <Waiting what={runId === null ? 'the recipes' : 'the run'} />
    ) : (
      <ErrorNote error={error} retry={retry} />
    );
  const chosen = recipes.data.find(({ name }) => name === recipe);
  const run = parent.data;
  const text =
    runId !== null && run !== undefined
      ? toStartText(run.source, run.overrides, run.spec)
      : (chosen?.source ?? '');
  return (
    <div className="stack">
      <h1>New run</h1>
      <RecipeChoice
        recipes={recipes.data}
        recipe={recipe}
        run={runId === null ? undefined : run}
        isEdited={isEdited}
      />
      {recipes.data.length === 0 && runId === null && (
        <Notice title="This installation has no recipes">
          <p>Write a configuration on the right, or start from a run: its page has “New run from this”.</p>
        </Notice>
      )}
      <Composer key={`${recipe} ${runId ?? ''}`} start={text} schema={schema.data} onEdited={setEdited} />
    </div>
  );
}

interface RecipeChoiceProps {
  readonly recipes: readonly Recipe[];
  readonly recipe: string;
  /** the run that it starts from, in place of a recipe */
  readonly run: RunDetails | undefined;
  readonly isEdited: boolean;
}

/** Another recipe replaces what was changed, and so asks first. */
function RecipeChoice({ recipes, recipe, run, isEdited }: RecipeChoiceProps) {
  const [asked, setAsked] = useState<string>();
  const pick = (name: string): void => navigate(`/new?recipe=${encodeURIComponent(name)}`);
  const chosen = recipes.find(({ name }) => name === recipe);
  return (
    <div className="row">
      <label htmlFor="recipe">Start from the recipe</label>
      <select
        id="recipe"
        value={run === undefined ? recipe : ''}
        onChange={({ target }) => (isEdited ? setAsked(target.value) : pick(target.value))}
      >
        {(run !== undefined || chosen === undefined) && (
          <option value={run === undefined ? recipe : ''}>
            {run === undefined ? toVisible(recipe) : 'none'}
          </option>
        )}
        {recipes.map(({ name }) => (
          <option key={name} value={name}>
            {toVisible(name)}
          </option>
        ))}
      </select>
      {run === undefined ? (
        <span className="muted small">{toVisible(chosen?.title ?? '')}</span>
      ) : (
        <span className="muted from-run">
          from the run <Link href={toPath('runs', run.id)}>{toVisible(run.title || run.name)}</Link>
        </span>
      )}
      {asked !== undefined && (
        <Confirm
          title={`Load the recipe ${toVisible(asked)}?`}
          yes="Discard and load"
          no="Keep editing"
          onAnswer={(isYes) => {
            setAsked(undefined);
            if (isYes) pick(asked);
          }}
        >
          <p>It replaces the configuration that you have changed.</p>
        </Confirm>
      )}
    </div>
  );
}

interface ComposerProps {
  readonly start: string;
  readonly schema: Schema;
  /** whether the text differs from what it began with */
  onEdited(isEdited: boolean): void;
}

function Composer({ start, schema, onEdited }: ComposerProps) {
  const { client } = useSession();
  const [text, setText] = useState(start);
  const [view, setView] = useState<'both' | 'form' | 'yaml'>(() =>
    window.innerWidth < 900 ? 'form' : 'both',
  );
  const [isFull, setFull] = useState(false);
  const planned = usePlan(text, (estimate) => client.runs.plan({ source: text }, estimate));
  useEffect(() => onEdited(text !== start), [text, start, onEdited]);
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
          Show every option
        </label>
      </div>
      <div className="composer" data-view={view}>
        {view !== 'yaml' && (
          <section className="card form-card" aria-label="Options">
            {parsed === undefined && (
              <p className="hint">The YAML does not parse. The form updates again once it does.</p>
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

import { useMutation, useQuery } from '@tanstack/react-query';
import { ErrorNote, Notice } from '../parts/states.js';
import { navigate, toPath } from '../routing/router.js';
import { useSession } from '../session/session-context.js';

const firstRecipe = 'bandit-starpo-s';

/** A new installation: one click starts a run of a minute. */
export function FirstRun({ mayAct }: { readonly mayAct: boolean }) {
  const { client } = useSession();
  const recipes = useQuery({ queryKey: ['recipes'], queryFn: () => client.overview.recipes() });
  const recipe = recipes.data?.find(({ name }) => name === firstRecipe);
  const start = useMutation({
    mutationFn: (source: string) => client.runs.create({ source, name: firstRecipe }),
    onSuccess: ({ id }) => navigate(toPath('runs', id)),
  });
  return (
    <Notice title="There is no run yet">
      {mayAct ? (
        <>
          {recipe !== undefined && (
            <p className="row">
              <button
                className="primary"
                disabled={start.isPending}
                onClick={() => start.mutate(recipe.source)}
              >
                Train a two-armed bandit
              </button>
              <span>with the built-in model, about a minute on two cores</span>
            </p>
          )}
          <p>{recipe === undefined ? 'Start one' : 'Or start it'} from a terminal, and it appears here:</p>
          <pre>espalier run create config/runs/bandit-starpo-s.yaml</pre>
          {recipes.error !== null && <ErrorNote error={recipes.error} retry={() => void recipes.refetch()} />}
          {start.isError && <ErrorNote error={start.error} />}
        </>
      ) : (
        <p>Your key is read-only. Starting a run needs a key with the operator role.</p>
      )}
    </Notice>
  );
}

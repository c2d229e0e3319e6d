import { useState } from 'react';
import { toVisible } from '../format/visible-text.js';
import { navigate, useSearch } from '../routing/router.js';
import { loadViews, normalize, type SavedView, storeViews, withView } from './saved-views.js';

/** Chooses a view that was kept, keeps the present one, or forgets it. */
export function ViewPicker() {
  const [search] = useSearch();
  const [views, setViews] = useState<readonly SavedView[]>(loadViews);
  const [name, setName] = useState<string>();
  const here = normalize(search);
  const current = views.find((view) => view.search === here);
  const keep = (next: readonly SavedView[]): void => {
    storeViews(next);
    setViews(next);
  };
  if (name !== undefined)
    return (
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          keep(withView(views, { name: name.trim(), search: here }));
          setName(undefined);
        }}
      >
        <input
          autoFocus
          aria-label="Name of the view"
          placeholder="name of the view"
          value={name}
          maxLength={60}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={({ key }) => key === 'Escape' && setName(undefined)}
        />
        <button disabled={name.trim() === ''}>Save</button>
      </form>
    );
  return (
    <div className="row">
      {views.length > 0 && (
        <select
          aria-label="Saved view"
          value={current?.name ?? ''}
          onChange={({ target }) =>
            navigate(`/runs?${views.find((one) => one.name === target.value)?.search ?? ''}`)
          }
        >
          <option value="">{current === undefined ? 'Saved views' : 'No view'}</option>
          {views.map((view) => (
            <option key={view.name} value={view.name}>
              {toVisible(view.name)}
            </option>
          ))}
        </select>
      )}
      {current !== undefined && (
        <button className="plain" onClick={() => keep(views.filter((view) => view !== current))}>
          Forget view
        </button>
      )}
      {current === undefined && here !== '' && (
        <button className="plain" onClick={() => setName('')}>
          Save view
        </button>
      )}
    </div>
  );
}

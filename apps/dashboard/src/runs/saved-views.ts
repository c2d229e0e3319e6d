/** @file Views of the list of runs that somebody keeps in this browser: a name for what the address holds. */

export interface SavedView {
  readonly name: string;
  /** search parameters, in one order */
  readonly search: string;
}

const place = 'espalier-views';
const most = 50;

/** One order of the parameters, so that the same filters are the same view. */
export function normalize(search: URLSearchParams): string {
  const kept = [...search].filter(([, value]) => value !== '');
  return new URLSearchParams(kept.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}

/** Reads what was kept; anything else counts as nothing. */
export function parseViews(text: string | null): SavedView[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    const isView = (one: unknown): one is SavedView =>
      typeof (one as SavedView | null)?.name === 'string' && typeof (one as SavedView).search === 'string';
    return Array.isArray(value) ? value.filter(isView) : [];
  } catch {
    return [];
  }
}

/** Adds a view; one of the same name is replaced. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].slice(-most);

export const loadViews = (): SavedView[] => parseViews(window.localStorage.getItem(place));

export function storeViews(views: readonly SavedView[]): void {
  try {
    window.localStorage.setItem(place, JSON.stringify(views));
  } catch {
    // a browser that stores nothing shows them until the page is closed
  }
}

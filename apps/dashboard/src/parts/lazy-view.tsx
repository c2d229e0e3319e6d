/** @file Views whose code is loaded when they are first shown, or before, while the browser has nothing else to do. */
import { type ComponentType, lazy, useEffect, useState } from 'react';

export interface LazyView<P> {
  (props: P): JSX.Element;
  /** Loads its code; shown after that, it is there at once. */
  load(): Promise<unknown>;
}

export function lazyView<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): LazyView<P> {
  let loaded: ComponentType<P> | undefined;
  const loadOnce = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Later = lazy(loadOnce) as unknown as ComponentType<P>;
  const View = (props: P) => {
    // for as long as it is shown: another component would begin anew
    const [Chosen] = useState(() => loaded ?? Later);
    return <Chosen {...props} />;
  };
  return Object.assign(View, { load: loadOnce });
}

/** Loads views that are likely to be opened next. @param isReady what is shown now is complete */
export function useLoadedAhead(views: readonly Pick<LazyView<never>, 'load'>[], isReady: boolean): void {
  useEffect(() => {
    if (!isReady) return undefined;
    // one that cannot be loaded says why when it is opened
    const loadAll = (): void => views.forEach((view) => void view.load().catch(() => undefined));
    if ('requestIdleCallback' in window) {
      const id = requestIdleCallback(loadAll);
      return () => cancelIdleCallback(id);
    }
    // Safari has none
    const timer = setTimeout(loadAll, 200);
    return () => clearTimeout(timer);
  }, [views, isReady]);
}

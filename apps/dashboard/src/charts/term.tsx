import { About } from './about.js';
import { type TermKey, terms } from './terms.js';

/** ⓘ of numbers that no metric explains. */
export function Term({ title, of }: { readonly title: string; readonly of: readonly TermKey[] }) {
  return <About title={title} metrics={of} facts={terms} />;
}

import { Fragment } from 'react';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';

/** `step 12`, a trajectory such as `train/12/0/3`, and with `:10-20` its tokens. */
const places = /\b(?:step (\d{1,9})|((?:train|validation|test)\/\d+\/\d+\/\d+)(?::(\d+)-(\d+))?)\b/g;

/** Splits a text at the places that it names. */
export function splitPlaces(
  runId: string,
  text: string,
): { readonly text: string; readonly href?: string }[] {
  const parts: { text: string; href?: string }[] = [];
  let from = 0;
  for (const found of text.matchAll(places)) {
    const [named, step, trajectory, start] = found;
    if (found.index > from) parts.push({ text: text.slice(from, found.index) });
    from = found.index + named.length;
    const tokens = start === undefined ? '' : `?view=tokens&token=${start}`;
    const href =
      trajectory === undefined
        ? `${toPath('runs', runId, 'steps')}?from=${step}&to=${step}`
        : `${toPath('runs', runId, 'trajectories', trajectory)}${tokens}`;
    parts.push({ text: named, href });
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** A text that somebody wrote, as text, with links to the places that it names. */
export function PlaceText({ runId, of }: { readonly runId: string; readonly of: string }) {
  return (
    <p className="written-text">
      {splitPlaces(runId, of).map(({ text, href }, index) =>
        href === undefined ? (
          <Fragment key={index}>
            <Text of={text} />
          </Fragment>
        ) : (
          <Link key={index} href={href}>
            {text}
          </Link>
        ),
      )}
    </p>
  );
}

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { SessionContext } from '../session/session-context.js';
import { Health } from './health.js';

it('tells the measure of a rule beside the limit that bounds it, not the value that the rule looks at', () => {
  const session = { client: {}, me: { role: 'viewer' }, leave: () => undefined } as never;
  const finding = {
    rule: 'entropy-fall',
    level: 'warning',
    input: 'entropy',
    value: 0.9,
    baseline: 2.5,
    measure: 0.36,
    limit: 0.4,
    since: 7,
    history: [2.5, 0.9],
  };
  const body = { __typename: 'MonitorEvent', message: 'entropy fell', findings: [finding] };
  const health = createElement(Health, {
    run: { id: 'run-1', health: 'warning' },
    events: [{ body }] as never,
  });
  const within = (inner: ReactNode) =>
    createElement(QueryClientProvider, { client: new QueryClient() }, inner);
  const html = renderToStaticMarkup(
    within(createElement(SessionContext.Provider, { value: session }, health)),
  );
  expect(html.replaceAll(/<[^>]+>/g, '')).toContain(
    'entropy is 0.9, was 2.5; the measure 0.36 passed the limit 0.4; since step 7',
  );
});

import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { SessionContext } from '../session/session-context.js';
import { InFlight } from './in-flight.js';

it('no height is reserved for episodes before one is played', () => {
  const session = { client: {}, me: { role: 'viewer' }, leave: () => undefined } as never;
  const inFlight = createElement(InFlight, { runId: 'run-1' });
  const html = renderToStaticMarkup(createElement(SessionContext.Provider, { value: session }, inFlight));
  expect(html).toContain('the episodes of a step appear here turn by turn');
  expect(html).not.toMatch(/class="(split|rows|reader)"/);
});

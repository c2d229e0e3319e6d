import { describe, expect, it } from 'vitest';
import { drawCurves } from './draw-curves.js';

describe('drawCurves', () => {
  const runs = [
    [
      [0, 0.2],
      [10, 0.6],
    ],
    [
      [0, 0.4],
      [10, 0.8],
    ],
  ] as const;

  it('draws a line for the mean of a group, and a band where there are several runs', () => {
    const svg = drawCurves('success', [
      { label: 'grpo', runs },
      { label: 'ppo', runs: runs.slice(0, 1) },
    ]);
    expect(svg.match(/<polyline/g)).toHaveLength(2);
    expect(svg.match(/<polygon/g)).toHaveLength(1);
    expect(svg).toContain('>grpo<');
    expect(svg).not.toMatch(/href|url\(|<script|<style/);
  });

  it('writes words as words, and stays whole without values or with one', () => {
    expect(drawCurves('a <b> & "c"', [])).toContain('a &#60;b&#62; &#38; &#34;c&#34;');
    const marked = drawCurves('x', [{ label: 'one', runs: [[[0, 1], [4, 5]]] }], [{ step: 4, words: '<collapsed>' }]); // prettier-ignore
    expect(marked).toMatch(/<path d="M736\.0 44V324"[^>]*><title>&#60;collapsed&#62;<\/title>/);
    const one = drawCurves('x', [{ label: 'one', runs: [[[3, 5]]] }]);
    expect(one).toContain('<circle');
    expect(one).not.toContain('NaN');
    expect(drawCurves('x', [{ label: 'none', runs: [[[1, Number.NaN]]] }])).not.toContain('NaN');
  });
});

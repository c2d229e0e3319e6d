import { isAppError } from '@espalier/contracts';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { buildMarkdown, buildReport, type ReportFrame } from './build-report.js';
import { checkReport, parseReport } from './check-report.js';
import type { Point, ReportedTrajectory, ReportRun, ValidatedState } from './report-run.js';

/** Outcomes of the states 100, 101, … by letter. */
const states = (letters: string): ValidatedState[] =>
  [...letters].map((letter, index) => ({ stateSeed: 100 + index, success: letter === '1', trained: true }));

const shareOf = (letters: string): number =>
  [...letters].filter((one) => one === '1').length / letters.length;

function trajectory(id: string, total: number, response: string): ReportedTrajectory {
  const [split = '', step = '0', group = '0', index = '0'] = id.split('/');
  return {
    id,
    environment: 'bandit',
    split: split as 'train',
    step: Number(step),
    group: Number(group),
    index: Number(index),
    seeds: { state: 100, noise: 1, sampling: 1 },
    tokens: new Int32Array(8),
    logprobs: new Float32Array(8),
    entropies: new Float32Array(8),
    spans: [],
    turns: [
      {
        index: 0,
        observation: 'two arms',
        stateKey: 'a',
        render: '',
        facts: {},
        response,
        think: '',
        answer: '',
        formatValid: true,
        parsedActions: ['left'],
        actions: [{ text: 'left', valid: true, effective: true, reward: total, metrics: {} }],
        reward: total,
        formatPenalty: 0,
        sampleStop: 'stop',
        sampled: { start: 4, end: 8 },
        policyVersion: 0,
        timings: { sampleMs: 0, environmentMs: 0 },
      },
    ],
    score: { environment: total, formatPenalty: 0, rewards: {}, perTurn: [total], total },
    stopReason: total > 0 ? 'success' : 'failure',
    success: total > 0,
    labels: total > 0 ? [] : [{ name: 'format-failure', turn: 0 }, { name: 'dead-end', turn: 0 }], // prettier-ignore
    timings: { totalMs: 0 },
    kept: true,
  };
}

interface Given {
  readonly key?: string;
  readonly seed?: number;
  readonly rate?: number;
  readonly before?: string;
  readonly after?: string;
  readonly series?: Record<string, readonly Point[]>;
  readonly changes?: Partial<ReportRun>;
}

/** Two steps, validated before and after on eight states. */
function createRun({
  key = 'a',
  seed = 1,
  rate = 0.1,
  before = '00000011',
  after = '11111111',
  series = {},
  changes = {},
}: Given = {}): ReportRun {
  const stored = [
    trajectory('train/2/0/0', 1, '<think>left pays</think><answer>left</answer>'),
    trajectory('train/2/0/1', -0.5, 'right'),
  ];
  return {
    key,
    address: `runs/${key}`,
    spec: {
      seed,
      steps: 2,
      optimizer: { learningRate: rate },
      environment: { use: 'bandit' },
      validation: {},
    },
    state: 'finished',
    message: '',
    step: 2,
    steps: 2,
    series: {
      'validation/success_rate': [[0, shareOf(before)], [2, shareOf(after)]], // prettier-ignore
      'validation/success_low': [[0, 0.07], [2, 0.676]], // prettier-ignore
      'validation/success_high': [[0, 0.59], [2, 1]], // prettier-ignore
      'rollout/reward_mean': [[1, 0.5], [2, Number.NaN]], // prettier-ignore
      'time/step_seconds': [[1, 4], [2, 6]], // prettier-ignore
      'time/collect_seconds': [[1, 3], [2, 5]], // prettier-ignore
      'total/sampled_tokens': [[1, 1000], [2, 2000]], // prettier-ignore
      'flow/trajectories/trained': [[1, 6], [2, 7]], // prettier-ignore
      'flow/trajectories/dropped': [[1, 2]],
      'flow/dropped_trajectories/zero_variance': [[1, 2]],
      ...series,
    },
    events: [],
    validations: new Map([
      [0, states(before)],
      [2, states(after)],
    ]),
    origin: { host: null, gitRevision: 'abc', versions: { espalier: '0.1.0' }, plugins: null },
    trajectorySteps: [2],
    readTrajectories: (step) => Promise.resolve(step === 2 ? stored : []),
    ...changes,
  };
}

const frame: ReportFrame = {
  title: 'Bandits',
  version: '0.1.0',
  madeAt: new Date('2026-11-26T12:00:00Z'),
  program: 'espalier',
  server: '',
};

const withNotes = (text: string): ReportFrame => ({ ...frame, notes: { file: 'notes.md', text } });

/** What a reader sees, without tags. */
const wordsOf = (html: string): string =>
  html
    .replace(/<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>/g, '')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

describe('a report', () => {
  it('equals a run worked by hand', async () => {
    const { html, sources } = await buildReport([createRun()], frame);
    const words = wordsOf(html);
    // 6 of 8 states were lost before and won after: 0.75; the bootstrap of such differences
    expect(words).toMatch(
      /a finished after 2 of 2 steps\. Success on validation rose from 25\.0 % to 100\.0 % \[67\.6 %, 100\.0 %\]: \+75\.0 points \[\+37\.5, \+100\.0\] on 8 states\./,
    );
    // 3 s + 5 s of collecting; 13 trained and 2 dropped in 2 steps
    expect(words).toContain('8 s');
    expect(html).toContain('a, trained: 13 (86.7 %)');
    expect(html).toContain('a, dropped: zero-variance: 2 (13.3 %)');
    const success = sources.find(({ parts }) => parts[0]?.reference === 'a:validation/success_rate@2');
    expect(success?.parts[0]?.value).toBe(1);
    expect(html).toContain(`href="#source-${success?.number}"`);
    expect(html).toContain(`id="source-${success?.number}"`);
  });

  it('has a place in the file for every link', async () => {
    const { html } = await buildReport(
      [createRun(), createRun({ key: 'b', rate: 0.2, after: '00000011' })],
      withNotes('See [[b:trajectory/train/2/0/1#turn=1]] and [[a:spec/optimizer.learningRate]].'),
    );
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(30);
    expect(targets.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('says the same as Markdown, with its sources as footnotes', async () => {
    const runs = [createRun(), createRun({ key: 'b', rate: 0.2 })];
    const noted = withNotes(
      '> It rose to **100 %** [[a:validation/success_rate@2]]\n\n`[[a:state]]` is [[a:state]].',
    );
    const { markdown, sources, charts } = await buildMarkdown(runs, noted, 'pictures');
    expect(sources).toEqual((await buildReport(runs, noted)).sources);
    expect(markdown).toMatch(
      /^\*\*a\*\* finished\[\^source-1\] after 2 of 2 steps\. Success on validation rose/m,
    );
    expect(markdown).toMatch(/^> It rose to \*\*100 %\*\* \[\^source-\d+\]\n\n`\[\[a:state\]\]` is finished\[\^source-1\]\.$/m); // prettier-ignore
    expect(markdown).toMatch(/^\[\^source-1\]: `a:state` is finished \(the end of the run\)$/m);
    expect(markdown.match(/^\[\^source-\d+\]: /gm)).toHaveLength(sources.length);
    expect(markdown).toContain('\nTurn 1:\n');
    expect(markdown).toContain('ended by failure, labelled format-failure (turn 1), dead-end (turn 1)\n');
    expect(markdown).toContain('\n```\n<think>left pays</think><answer>left</answer>\n```\n');
    for (const { id } of charts) expect(markdown).toContain(`(pictures/${id}.svg)`);
  });

  it('says which setting is better, and when that cannot be said', async () => {
    const better = createRun({ key: 'b', rate: 0.2, before: '0000000000', after: '1111111111' });
    const worse = createRun({ before: '0000000000', after: '0000000000' });
    const { html } = await buildReport([better, worse], frame);
    // ten states, all won by one side only: 2 · (1/2)^10
    expect(wordsOf(html)).toContain(
      'b succeeds more often than a at step 2: +100.0 points [+100.0, +100.0], p 0.0020 on 10 states.',
    );
    expect(wordsOf(html)).toContain('optimizer.learningRate0.20.1');
    const equal = await buildReport([createRun(), createRun({ key: 'b', rate: 0.2 })], frame);
    expect(wordsOf(equal.html)).toContain('Between a and b no difference can be shown at step 2');
    const lake = createRun({ key: 'b' });
    const spec = { ...lake.spec, environment: { use: 'frozen-lake' } };
    const apart = await buildReport([createRun(), { ...lake, spec }], frame);
    expect(wordsOf(apart.html)).toMatch(
      /No test can be made\.\s*a and b: no common states: the environments differ \(bandit and frozen-lake\)\./,
    );
    const seeds = await buildReport([createRun(), createRun({ key: 'b', seed: 2 })], frame);
    expect(seeds.html).not.toContain('Which is better');
  });

  it('leaves single runs out where it is brief, and keeps the notes', async () => {
    const lead = [{ kind: 'paragraph' as const, content: ['Two claims hold.'] }];
    const brief = { ...frame, lead, isBrief: true, notes: { file: 'n.md', text: 'Why: [[a:state]].' } };
    const { markdown, sources } = await buildMarkdown([createRun()], brief, undefined);
    expect(markdown).toMatch(/Two claims hold\.[^]*## Notes[^]*Why: finished/);
    expect(markdown.match(/^## .*$/gm)).toEqual(['## Notes', '## Sources']);
    expect(sources).toHaveLength(1);
  });

  it('says what to run where no run has ended, and has no empty parts', async () => {
    const lead = [{ kind: 'paragraph' as const, content: ['0 of 2 runs have ended.'] }];
    const none = {
      ...frame,
      lead,
      toRun: ['espalier sweep two.yaml'],
      notes: { file: 'n.md', text: 'Soon.' },
    };
    const { markdown } = await buildMarkdown([], none, undefined);
    expect(markdown).toMatch(
      /0 of 2 runs have ended\.\n[^]*Soon\.\n[^]*No run has ended,[^\n]* To run what is missing:\n\n```\w*\nespalier sweep two\.yaml\n```/,
    );
    expect([...markdown.matchAll(/^#+ .+$/gm)].flat()).toEqual(['## Notes', '## What happened to each run']);
    expect((await buildMarkdown([], { ...none, toRun: [] }, undefined)).markdown).not.toContain('To run');
    const { html } = await buildReport([], none);
    expect(html).toContain('espalier sweep two.yaml');
    expect(html).not.toContain('<table');
    const { markdown: some } = await buildMarkdown([createRun()], none, undefined);
    expect(some).not.toContain('espalier sweep');
  });

  it('says what is missing, and paints nothing absent as 0', async () => {
    const bare = createRun({
      changes: { series: {}, validations: new Map(), step: 0, state: 'killed', trajectorySteps: [] },
    });
    const words = wordsOf((await buildReport([bare], frame)).html);
    expect(words).toContain('a was killed before its first step. It has reported no success and no reward.');
    expect(words).toContain('No trajectories are stored of a.');
    expect(words).not.toContain('What it cost');
    const other = createRun({ key: 'b', rate: 0.2, changes: { series: { 'time/step_seconds': [[1, 1]] } } });
    expect(wordsOf((await buildReport([createRun(), other], frame)).html)).toContain('not known');
  });

  it('tells apart what the monitor could not judge, and what it found nothing against', async () => {
    const saying = async (series: NonNullable<Given['series']>) =>
      wordsOf((await buildReport([createRun({ series })], frame)).html);
    expect(await saying({ 'monitor/state': [[3, 0]] })).toContain('Health: not judged yet: the monitor compares'); // prettier-ignore
    expect(await saying({ 'monitor/state': [[4, 0]] })).toContain('The collapse monitor found nothing.');
    expect(await saying({ 'monitor/state': [[5, 2]] })).toContain('collapsed, as the run was that it was forked from'); // prettier-ignore
  });

  it('leaves a gap where a value is not finite', async () => {
    const { html } = await buildReport(
      [createRun({ series: { 'rollout/entropy': [[1, 1], [2, 2], [3, Number.NaN], [4, 3], [5, 4]] } })], // prettier-ignore
      frame,
    );
    const figure = /<figure id="chart-rollout-entropy">(.*?)<\/figure>/s.exec(html)?.[1] ?? '';
    expect(figure.match(/<polyline/g)).toHaveLength(2);
    const only = /<figure id="chart-rollout-reward-mean">(.*?)<\/figure>/s.exec(html)?.[1] ?? '';
    expect(only).toContain('<circle class="dot');
    expect(only).not.toContain('NaN,');
  });

  it('leaves a gap where a trained step has no value, and none between validations', async () => {
    const steps = [1, 2, 3, 4, 5];
    const series = (missing: number): Record<string, readonly Point[]> => ({
      'time/step_seconds': steps.map((step) => [step, 1]),
      'rollout/reward_mean': steps.map((step) => [step, step]),
      'policy/gradient_norm': steps.filter((step) => step !== missing).map((step) => [step, step]),
      'validation/success_rate': [[0, 0.1], [2, 0.2], [4, 0.3]], // prettier-ignore
    });
    const { html } = await buildReport(
      [createRun({ series: series(3) }), createRun({ key: 'b', seed: 2, series: series(0) })],
      frame,
    );
    const linesOf = (id: string): number => {
      const [figure = ''] = html.split(`<figure id="chart-${id}">`)[1]?.split('</figure>') ?? [];
      return figure.match(/<polyline/g)?.length ?? 0;
    };
    // the mean of the seeds is unknown where one of them has no value
    expect(['policy-gradient-norm', 'rollout-reward-mean', 'validation-success-rate'].map(linesOf)).toEqual([
      2, 1, 1,
    ]);
  });

  it('shows why a run collapsed', async () => {
    const { html } = await buildReport(
      [
        createRun({
          changes: {
            state: 'collapsed',
            events: [
              {
                kind: 'monitor',
                time: 0,
                step: 2,
                state: 'collapsed',
                previous: 'healthy',
                action: 'stop',
                restored: null,
                changes: [],
                message: 'rollout/reward_mean fell',
                findings: [
                  {
                    rule: 'reward-deviation',
                    level: 'collapsed',
                    input: 'rollout/reward_mean',
                    measure: 0.05,
                    limit: 0.15,
                    value: 0.01,
                    baseline: 0.2,
                    since: 1,
                    history: [0.2, 0.01],
                  },
                ],
              },
            ],
          },
        }),
      ],
      frame,
    );
    const words = wordsOf(html);
    expect(words).toContain('a was stopped by the collapse monitor after 2 of 2 steps.');
    expect(words).toContain('rollout/reward_mean 0.01, was 0.2, since step 1');
    expect(html).toContain('step 2: a: collapsed');
    expect(words).toContain('reward-deviation (rollout/reward_mean 0.01, was 0.2)');
    // one step with trajectories holds both: the one of the collapse is shown already
    expect(words).toContain('the worst of step 2');
  });

  it('keeps what models, people and names say as text', async () => {
    const attack = '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\'\u202e\u0007';
    const stored = [trajectory('train/2/0/0', 1, attack), trajectory('train/2/0/1', 0, attack)];
    const run = createRun({
      series: { [`evil/${attack}`]: [[1, 1]], 'rollout/entropy': [[1, 1], [2, 2]] }, // prettier-ignore
      changes: {
        address: attack,
        spec: { seed: 1, [attack]: attack },
        origin: { host: attack, gitRevision: attack, versions: { [attack]: attack }, plugins: null },
        readTrajectories: () => Promise.resolve(stored),
        events: [{ kind: 'warning', time: 0, step: 1, code: attack, message: attack }],
      },
    });
    const { markdown } = await buildMarkdown([run], { ...frame, server: attack }, 'pictures');
    const rendered = new MarkdownIt({ html: true }).render(markdown);
    expect(rendered).toContain('&lt;script&gt;alert(1)');
    expect(rendered).not.toMatch(/<script|<img(?! src="pictures)|\u202e|\u0007/);
    const { html } = await buildReport([run], {
      ...frame,
      title: attack,
      server: attack,
      notes: { file: 'n.md', text: `${attack}\n\n[a](javascript:alert(3)) ![b](http://example.org/x.png)` },
    });
    const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts).toEqual(['<script type="application/json" id="espalier-report">', '<script>']);
    expect(html).not.toMatch(/<img|onerror=alert\(2\)>|href="javascript|\u202e|\u0007/);
    expect(parseReport(html, 'r.html').title).toBe(attack);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/ src="https?:/);
  });
});

describe('citations in notes', () => {
  const refusal = async (text: string): Promise<string> => {
    const error = await buildReport([createRun(), createRun({ key: 'b', rate: 0.2 })], withNotes(text)).catch(
      (thrown: unknown) => thrown,
    );
    if (!isAppError(error)) throw new Error('it was not refused');
    expect(error.code).toBe('report.invalid_citation');
    return error.message;
  };

  it('insert the value, or check the number that is written', async () => {
    const { html } = await buildReport(
      [createRun()],
      withNotes(
        'Success was [[a:validation/success_rate@0]] and rose to **100 %** [[validation/success_rate@last]] at step 2 [[state]]; it said “left … left” [[a:trajectory/train/2/0/0#turn=1]] with a rate of 0.10 [[a:spec/optimizer.learningRate]]. `[[no:citation]]`',
      ),
    );
    const notes = wordsOf(/<div class="notes">(.*?)<\/div>/s.exec(html)?.[1] ?? '');
    expect(notes.trim()).toMatch(
      /^Success was 25\.0 % and rose to 100 % \[\d+\] at step 2 finished; it said “left … left” \[\d+\] with a rate of 0\.10 \[\d+\]\. \[\[no:citation\]\]$/,
    );
  });

  it.each([
    ['line one\n\nbut 26 % [[a:validation/success_rate@0]]', 'notes.md:3: [[a:validation/success_rate@0]]: 26 % is written beside it, and the source says 0.25, which is 25 %'],
    ['[[a:validation/success_rate@1]]', 'validation/success_rate has no value at step 1; the nearest with one are 0 and 2'],
    ['[[a:validation/succes_rate@0]]', 'the run has no metric "validation/succes_rate"; did you mean "validation/success_rate"?'],
    ['[[c:state]]', 'no run "c"'],
    ['[[validation/success_rate@0]]', 'it names no run'],
    ['[[a:nonsense]]', 'it has no known form'],
    ['[[a:trajectory/train/2/0/7]]', 'step 2 has no trajectory "train/2/0/7"'],
    ['[[a:trajectory/train/1/0/0]]', 'the run stores no trajectories of step 1; it has those of 1 steps, 2 to 2'],
    ['[[a:trajectory/train/2/0/0#turn=2]]', 'has no turn 2; its turns are 1 to 1'],
    ['[[a:trajectory/train/2/0/0#turn=0]]', 'there is no turn 0; the first is turn 1'],
    ['[[a:trajectory/train/2/0/0#token=8]]', 'has no token 8; it has 8'],
    ['“right pays” [[a:trajectory/train/2/0/0]]', '"right pays" is not in any turn of it'],
    ['3 [[a:rollout/reward_mean@2]]', '3 is written beside it, and the source says: not finite'],
    ['[[a:monitor@2]]', 'the run has no event of kind monitor'],
    ['[[a:spec/optimizer.lr]]', 'the run has no option "optimizer.lr"'],
  ])('are refused: %s', async (text, reason) => {
    expect(await refusal(text)).toContain(reason);
  }); // prettier-ignore

  it('are all reported at once', async () => {
    expect(await refusal('[[a:x@1]] [[a:y@1]]\n\n50 % [[a:validation/success_rate@2]]')).toMatch(
      /3 of 3 citations do not hold/,
    );
  });
});

describe('a report made earlier', () => {
  const check = async (runs: readonly ReportRun[], edit = (html: string): string => html) => {
    const { html } = await buildReport([createRun()], frame);
    const edited = edit(html);
    return checkReport(edited, parseReport(edited, 'r.html'), runs);
  };

  it('holds while its run says the same', async () => {
    const checked = await check([createRun()]);
    expect(checked).toMatchObject({ problems: [], notes: [], runs: 1 });
    expect(checked.values).toBeGreaterThan(10);
  });

  it('holds when a run has gone on', async () => {
    const running = createRun({ changes: { state: 'running' } });
    const { html } = await buildReport([running], frame);
    const grown = createRun({ series: { 'rollout/entropy': [[3, 1]] }, changes: { step: 3 } });
    const checked = await checkReport(html, parseReport(html, 'r.html'), [grown]);
    expect(checked.problems).toEqual([]);
    expect(checked.notes).toEqual(['a: was running when the report was made, and is finished now']);
  });

  it('does not when a value, a setting, an outcome or a trajectory has changed', async () => {
    const value = await check([createRun({ series: { 'validation/success_rate': [[0, 0.25], [2, 0.9]] } })]); // prettier-ignore
    expect(value.problems.join('\n')).toMatch(
      /a: its metrics up to step 2 are not[^]*a:validation\/success_rate@2: the report says 1, the run says 0.9/,
    );
    expect((await check([createRun({ rate: 0.3 })])).problems.join()).toContain('a: its spec');
    const outcomes = new Map([[0, states('11000000')], [2, states('11111111')]]); // prettier-ignore
    expect((await check([createRun({ changes: { validations: outcomes } })])).problems).toHaveLength(1);
    const other = [trajectory('train/2/0/0', 1, 'another'), trajectory('train/2/0/1', -0.5, 'right')];
    const shown = await check([createRun({ changes: { readTrajectories: () => Promise.resolve(other) } })]);
    expect(shown.problems).toEqual(['a: trajectory train/2/0/0 is not the one that is shown']);
  });

  it('does not when the file was edited', async () => {
    const checked = await check([createRun()], (html) => html.replace('rose from', 'fell from'));
    expect(checked.problems).toEqual(['the file was changed after it was made']);
    expect(() => parseReport('<html></html>', 'r.html')).toThrow(/no report in HTML.*NEW\.html/);
    const newer = '<script type="application/json" id="espalier-report">{"format":2}</script>';
    expect(() => parseReport(newer, 'r.html')).toThrow(/of another version; make it again/);
  });
});

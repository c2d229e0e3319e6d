/** @file Alarms of a run with their evidence: charts, trajectories before and after, verdicts, comments, ratings. */
import { Term } from '../charts/term.js';
import type { RunDetails } from '@espalier/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Assignee } from '../alerts/assignee.js';
import { useAcknowledge } from '../data/alert-changes.js';
import { Comments } from '../comments/comments.js';
import type { Alarm } from '../data/types.js';
import { formatMoment } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Badge } from '../parts/badge.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { navigate, toPath, useSearch } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { AlertRecordTable } from './alert-record.js';
import { EvidenceChart } from './evidence-chart.js';
import { ExampleList } from './example-list.js';
import { FindingNumbers } from './finding-numbers.js';
import { SampleList } from './sample-list.js';
import { noSides, readSides, type Side, type Split } from './sides.js';
import { VerdictForm } from './verdict-form.js';
import '../styles/verdicts.css';

export default function VerdictsPage({ run }: { readonly run: RunDetails }) {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const alarms = useQuery({
    queryKey: ['alarms', run.id],
    queryFn: () => client.verdicts.alarms({ runId: run.id }),
  });
  const asked = search.get('alarm');
  const isWithout = asked === 'none';
  const named = alarms.data?.find(({ id }) => id === asked);
  const isUnknown = asked !== null && !isWithout && named === undefined;
  const chosen = asked === null ? alarms.data?.[0] : named;
  const sides = readSides(search, run.id, Math.max(run.step ?? 0, 0), chosen?.step ?? null);
  const choose = (id: string): void => setSearch({ ...noSides, alarm: id });
  if (alarms.error !== null) return <ErrorNote error={alarms.error} retry={() => void alarms.refetch()} />;
  if (alarms.data === undefined) return <Waiting what="the alarms" />;
  return (
    <div className="verdict-sides">
      <nav className="card alarms" aria-label="Alarms">
        <header>
          <h2>Alarms</h2>
          <span className="faint small">{alarms.data.length > 0 && alarms.data.length}</span>
        </header>
        {alarms.data.length === 0 && (
          <p className="muted small empty">
            No rule has fired. Any two ranges of steps can be compared below.
          </p>
        )}
        <ul>
          {alarms.data.map((alarm) => (
            <li key={alarm.id}>
              <button aria-pressed={alarm === chosen} onClick={() => choose(alarm.id)}>
                <Badge of={alarm.severity} />
                <span>
                  {alarm.step === null ? alarm.code : `step ${alarm.step}`}
                  <span className="faint small">
                    {' '}
                    {alarm.findings.map(({ rule }) => rule.replaceAll('-', ' ')).join(', ') || alarm.code}
                  </span>
                </span>
              </button>
            </li>
          ))}
          <li>
            <button aria-pressed={chosen === undefined && !isUnknown} onClick={() => choose('none')}>
              Without an alarm
            </button>
          </li>
        </ul>
      </nav>
      <div className="stack">
        {isUnknown && (
          <Notice title="This run has no such alarm">
            <p>Choose one of the list. Below are its trajectories, without an alarm.</p>
          </Notice>
        )}
        {chosen !== undefined && <AlarmCard key={chosen.id} run={run} alarm={chosen} />}
        <Evidence sides={sides} />
        <Comments
          runId={run.id}
          {...(chosen === undefined ? {} : { place: { alertId: chosen.id } })}
          title={chosen === undefined ? 'Comments on the run' : 'Comments on this alarm'}
        />
        <AlertRecordTable project={run.project} />
      </div>
    </div>
  );
}

function AlarmCard({ run, alarm }: { readonly run: RunDetails; readonly alarm: Alarm }) {
  return (
    <section className="card alarm" aria-label="Alarm">
      <header>
        <Badge of={alarm.severity} />
        <h2>{alarm.step === null ? 'Alarm' : `Alarm at step ${alarm.step}`}</h2>
        <span className="faint small" title={formatMoment(alarm.time)}>
          <span className="mono">{alarm.code}</span>
          {alarm.acknowledgedBy !== null && (
            <>
              {' '}
              · acknowledged by <Text of={alarm.acknowledgedBy} />
            </>
          )}
        </span>
      </header>
      <p>
        <Text of={alarm.message} />
      </p>
      <AlarmDesk alarm={alarm} />
      {alarm.findings.map((finding) => (
        <section key={finding.rule} className="finding">
          <div className="row">
            <h3>{finding.rule.replaceAll('-', ' ')}</h3>
            <Badge of={finding.level} />
            <Term
              title="each number of a rule"
              of={['AlertFinding.value', 'AlertFinding.baseline', 'AlertFinding.measure, limit']}
            />
          </div>
          <p className="muted small">
            {finding.meaning}: <FindingNumbers {...finding} />; it has fired since step {finding.since}.
          </p>
          {alarm.step !== null && (
            <EvidenceChart
              runId={run.id}
              finding={finding}
              step={alarm.step}
              lastStep={run.step ?? alarm.step}
            />
          )}
          <ExampleList alarm={alarm} rule={finding.rule} />
        </section>
      ))}
      {alarm.findings.length === 0 && alarm.step !== null && <ExampleList alarm={alarm} rule={undefined} />}
      <VerdictForm alarm={alarm} />
    </section>
  );
}

/** Who looks after an alarm, and whether it is acknowledged. */
function AlarmDesk({ alarm }: { readonly alarm: Alarm }) {
  const mayAct = useMayAct();
  const acknowledge = useAcknowledge();
  return (
    <div className="row small desk-of-alarm">
      <label className="row">
        <span className="muted">Assignee</span>
        <Assignee of={alarm} label="Assignee" />
      </label>
      {mayAct && alarm.acknowledgedAt === null && (
        <button disabled={acknowledge.isPending} onClick={() => acknowledge.mutate([alarm.id])}>
          Acknowledge
        </button>
      )}
      {acknowledge.error !== null && <ErrorNote error={acknowledge.error} />}
    </div>
  );
}

/** Trajectories of two ranges, and a set to rate them blind. */
function Evidence({ sides: [before, after] }: { readonly sides: readonly [Side, Side] }) {
  const [search, setSearch] = useSearch();
  const seed = Math.max(0, Math.floor(Number(search.get('seed') ?? 0)) || 0);
  const step = (name: string, label: string, value: number) => (
    <label className="small">
      {label}{' '}
      <input
        type="number"
        min={0}
        value={value}
        onChange={({ target }) => setSearch({ [name]: target.value })}
      />
    </label>
  );
  return (
    <section className="card evidence" aria-label="Trajectories">
      <header>
        <h2>Trajectories before and after</h2>
      </header>
      <div className="row choices">
        {step('a-from', 'before: steps', before.from)}
        {step('a-to', 'to', before.to)}
        {step('b-from', 'after: steps', after.from)}
        {step('b-to', 'to', after.to)}
        <label className="small">
          split{' '}
          <select value={before.split} onChange={({ target }) => setSearch({ split: target.value })}>
            <option value="">all</option>
            <option value="train">train</option>
            <option value="validation">validation</option>
            <option value="test">test</option>
          </select>
        </label>
        <label className="small">
          of run{' '}
          <input
            className="mono"
            aria-label="Run of the second range"
            placeholder="this run"
            value={search.get('b-run') ?? ''}
            onChange={({ target }) => setSearch({ 'b-run': target.value.trim() })}
          />
        </label>
        <button onClick={() => setSearch({ seed: String(seed + 1) })}>Draw others</button>
      </div>
      <div className="two">
        <SampleList title="Before" side={before} seed={seed} />
        <SampleList title="After" side={after} seed={seed} />
      </div>
      <MakeSet sides={[before, after]} seed={seed} />
    </section>
  );
}

const sourceOf = ({ runId, from, to, split }: Side) => ({
  runId,
  fromStep: from,
  toStep: to,
  ...(split === '' ? {} : { split: split as Exclude<Split, ''> }),
});

function MakeSet({ sides, seed }: { readonly sides: readonly [Side, Side]; readonly seed: number }) {
  const { client } = useSession();
  const mayAct = useMayAct();
  const [kind, setKind] = useState('pairwise');
  const [pairing, setPairing] = useState<'same-state' | 'any'>('same-state');
  const [size, setSize] = useState(20);
  const rubrics = useQuery({
    queryKey: ['rubrics'],
    queryFn: () => client.ratings.rubrics(),
    enabled: mayAct,
  });
  const make = useMutation({
    mutationFn: () => {
      const shared = { sources: sides.map(sourceOf), size, seed };
      return client.ratings.create(
        kind === 'pairwise'
          ? { ...shared, kind: 'pairwise', pairing }
          : { ...shared, kind: 'rubric', rubric: kind },
      );
    },
    onSuccess: ({ id }) => navigate(toPath('ratings', id)),
  });
  if (!mayAct)
    return (
      <Notice title="Blind rating">
        <p>Making a rating set of these needs a key with the operator role.</p>
      </Notice>
    );
  return (
    <div className="make-set">
      <div className="row choices">
        <label className="small">
          Rate blind{' '}
          <select aria-label="How to rate" value={kind} onChange={({ target }) => setKind(target.value)}>
            <option value="pairwise">in pairs</option>
            {rubrics.data?.map(({ id, title }) => (
              <option key={id} value={id}>
                by rubric: {toVisible(title)}
              </option>
            ))}
          </select>
        </label>
        {kind === 'pairwise' && (
          <label className="small">
            pairs of{' '}
            <select
              value={pairing}
              onChange={({ target }) => setPairing(target.value === 'any' ? 'any' : 'same-state')}
            >
              <option value="same-state">the same state</option>
              <option value="any">any two</option>
            </select>
          </label>
        )}
        <label className="small">
          at most{' '}
          <input
            type="number"
            min={1}
            max={500}
            value={size}
            onChange={({ target }) => setSize(Number(target.value))}
          />
        </label>
        <button className="primary" disabled={make.isPending} onClick={() => make.mutate()}>
          Make a rating set
        </button>
      </div>
      {rubrics.error !== null && <ErrorNote error={rubrics.error} retry={() => void rubrics.refetch()} />}
      {make.error !== null && <ErrorNote error={make.error} />}
    </div>
  );
}

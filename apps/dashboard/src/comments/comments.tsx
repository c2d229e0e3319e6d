/** @file Threads of comments about a run, or about a place in it; those of others appear as they write them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLive } from '../data/use-live.js';
import { useNow } from '../data/use-now.js';
import { formatAge, formatMoment } from '../format/numbers.js';
import { Confirm } from '../parts/confirm.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';
import type { RunComment } from '../data/types.js';
import { PlaceText } from './place-links.js';
import '../styles/verdicts.css';

/** What comments are about. */
export interface CommentPlace {
  readonly step?: number;
  readonly alertId?: string;
  readonly trajectoryId?: string;
  readonly turn?: number;
  readonly tokenStart?: number;
  readonly tokenEnd?: number;
}

interface Props {
  readonly runId: string;
  /** default: the whole run, with the comments of all its places */
  readonly place?: CommentPlace;
  readonly title?: string;
  /** above the field of a new comment, such as a choice of the turn */
  readonly children?: ReactNode;
}

export function Comments({ runId, place = {}, title = 'Comments', children }: Props) {
  const { client } = useSession();
  const mayAct = useMayAct();
  const queries = useQueryClient();
  const [answering, setAnswering] = useState<string>();
  const key = ['comments', runId];
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: () => client.runs.comments(runId) });
  const reload = (): void => void queries.invalidateQueries({ queryKey: key });
  useLive(`comments/${runId}`, () => client.runs.watchComments(runId), reload);
  const { step, alertId, trajectoryId } = place;
  const isHere = (comment: RunComment): boolean =>
    (step === undefined || comment.step === step) &&
    (alertId === undefined || comment.alertId === alertId) &&
    (trajectoryId === undefined || comment.trajectoryId === trajectoryId);
  const threads = data?.filter((comment) => comment.parentId === null && isHere(comment)) ?? [];
  return (
    <section className="card comments" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="faint small">{threads.length > 0 && threads.length}</span>
      </header>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data !== undefined && threads.length === 0 && (
        <p className="muted small empty">
          Nobody has written here yet.{!mayAct && ' Commenting needs a key with the operator role.'}
        </p>
      )}
      <ul className="threads">
        {threads.map((first) => (
          <li key={first.id}>
            <Comment
              comment={first}
              showPlace={trajectoryId === undefined || first.turn !== null || first.tokenStart !== null}
            />
            <ul className="answers">
              {data
                ?.filter(({ parentId }) => parentId === first.id)
                .map((answer) => (
                  <li key={answer.id}>
                    <Comment comment={answer} showPlace={false} />
                  </li>
                ))}
            </ul>
            {mayAct &&
              (answering === first.id ? (
                <Composer
                  runId={runId}
                  place={{}}
                  parentId={first.id}
                  label="Answer"
                  onDone={() => setAnswering(undefined)}
                />
              ) : (
                <button className="plain small" onClick={() => setAnswering(first.id)}>
                  Answer
                </button>
              ))}
          </li>
        ))}
      </ul>
      {mayAct && (
        <>
          {children}
          <Composer runId={runId} place={place} label="Comment" />
        </>
      )}
    </section>
  );
}

function Comment({ comment, showPlace }: { readonly comment: RunComment; readonly showPlace: boolean }) {
  const { client, me } = useSession();
  const now = useNow();
  const queries = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { runId, id, createdAt, createdBy, text, editedAt, deletedAt, keyId } = comment;
  const remove = useMutation({
    mutationFn: () => client.runs.deleteComment(runId, id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['comments', runId] }),
  });
  const isOwn = keyId === me.keyId;
  return (
    <article className="comment" id={id}>
      <header className="row small">
        <b>
          <Text of={createdBy} />
        </b>
        <span className="faint" title={formatMoment(createdAt)}>
          {formatAge(createdAt, now)}
          {editedAt !== null && <span title={formatMoment(editedAt)}> · edited</span>}
        </span>
        {showPlace && <Place of={comment} />}
        {deletedAt === null && isOwn && (
          <button className="plain small" onClick={() => setEditing(!isEditing)}>
            Edit
          </button>
        )}
        {deletedAt === null && (isOwn || me.role === 'admin') && (
          <button className="plain small" onClick={() => setAsking(true)}>
            Delete
          </button>
        )}
      </header>
      {deletedAt !== null ? (
        <p className="faint small">This comment was deleted.</p>
      ) : isEditing ? (
        <Composer runId={runId} place={{}} editing={comment} label="Save" onDone={() => setEditing(false)} />
      ) : (
        <PlaceText runId={runId} of={text} />
      )}
      {remove.error !== null && <ErrorNote error={remove.error} />}
      {isAsking && (
        <Confirm
          title="Delete the comment?"
          yes="Delete it"
          no="Keep it"
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) remove.mutate();
          }}
        >
          Its text goes; the audit log keeps it.
        </Confirm>
      )}
    </article>
  );
}

/** A link to what a comment is about. */
function Place({
  of: { runId, step, trajectoryId, turn, tokenStart, tokenEnd },
}: {
  readonly of: RunComment;
}) {
  if (trajectoryId !== null) {
    const view =
      tokenStart !== null ? `?view=tokens&token=${tokenStart}` : turn !== null ? '?view=turns' : '';
    const where =
      tokenStart !== null ? ` tokens ${tokenStart}–${tokenEnd}` : turn !== null ? ` turn ${turn + 1}` : '';
    return (
      <Link href={`${toPath('runs', runId, 'trajectories', trajectoryId)}${view}`} className="mono">
        {trajectoryId}
        {where}
      </Link>
    );
  }
  if (step === null) return null;
  return <Link href={`${toPath('runs', runId, 'steps')}?from=${step}&to=${step}`}>step {step}</Link>;
}

interface ComposerProps {
  readonly runId: string;
  readonly place: CommentPlace;
  readonly parentId?: string;
  readonly editing?: RunComment;
  readonly label: string;
  onDone?(): void;
}

function Composer({ runId, place, parentId, editing, label, onDone }: ComposerProps) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [text, setText] = useState(editing?.text ?? '');
  const send = useMutation({
    mutationFn: () =>
      editing === undefined
        ? client.runs.comment(runId, { text, ...(parentId === undefined ? place : { parentId }) })
        : client.runs.editComment(runId, editing.id, text),
    onSuccess: () => {
      setText('');
      onDone?.();
      return queries.invalidateQueries({ queryKey: ['comments', runId] });
    },
  });
  return (
    <form
      className="comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') send.mutate();
      }}
    >
      <textarea
        aria-label={parentId === undefined ? `${label}: text` : 'Answer: text'}
        rows={2}
        maxLength={20_000}
        value={text}
        placeholder="Plain text. “step 12” and “train/12/0/3” become links. Ctrl-Enter sends."
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && text.trim() !== '') send.mutate();
        }}
      />
      <div className="row">
        <button className="primary" disabled={send.isPending || text.trim() === ''}>
          {label}
        </button>
        {onDone !== undefined && (
          <button type="button" onClick={onDone}>
            Cancel
          </button>
        )}
      </div>
      {send.error !== null && <ErrorNote error={send.error} />}
    </form>
  );
}

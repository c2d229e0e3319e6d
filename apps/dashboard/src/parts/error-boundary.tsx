/** @file What stands in place of a view that threw, so that the page is never empty. */
import { Component, type ReactNode } from 'react';
import { Notice } from './states.js';
import { Text } from './text.js';

interface Props {
  /** where the page is: at another place it is tried again */
  readonly place: string;
  readonly children: ReactNode;
}

interface State {
  readonly error?: unknown;
}

/** A script of the page that is not there: browsers have a sentence of their own for it. */
const isMissingScript = (error: unknown): boolean =>
  /dynamically imported module|Importing a module script failed|Unable to preload/i.test(String(error));

export class ErrorBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && 'error' in this.state) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const reload = (
      <button className="primary" onClick={() => window.location.reload()}>
        Reload the page
      </button>
    );
    if (isMissingScript(error))
      return (
        <Notice title="A part of the page could not be loaded">
          <p>The server does not answer, or was updated and has another version of the page now.</p>
          <p>{reload}</p>
        </Notice>
      );
    return (
      <Notice title="This view could not be shown">
        <p>
          <Text of={String(error)} />
        </p>
        <p>{reload}</p>
      </Notice>
    );
  }
}

import { Component, type ReactNode } from "react";

interface PlainOnFailureState {
  hasFailed: boolean;
}

/** Shows a text as it was written where drawing it fails, so that one message never takes the page with it. */
export class PlainOnFailure extends Component<
  { text: string; children: ReactNode },
  PlainOnFailureState
> {
  override state: PlainOnFailureState = { hasFailed: false };

  static getDerivedStateFromError(): PlainOnFailureState {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    const { text, children } = this.props;
    return this.state.hasFailed ? <p data-part="plain-text">{text}</p> : children;
  }
}

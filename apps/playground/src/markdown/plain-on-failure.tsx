import { Component, type ReactNode } from "react";

interface PlainOnFailureState {
  hasFailed: boolean;
}

/** Shows the plain text where rendering fails, so that one message never breaks the page. */
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

import { CircleAlert } from "lucide-react";
import { Component, type ReactNode, Suspense } from "react";
import { Button } from "./button.tsx";
import { PartLoadError } from "./lazy-part.tsx";
import "./region-boundary.css";

export interface RegionBoundaryProps {
  /** Name of the region, for the words of a failure. */
  name: string;
  children: ReactNode;
}

interface RegionBoundaryState {
  error: Error | undefined;
}

/** A part of the page that loads and fails on its own: the rest stays usable, and it can be tried again. */
export class RegionBoundary extends Component<RegionBoundaryProps, RegionBoundaryState> {
  override state: RegionBoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): RegionBoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return <Suspense>{this.props.children}</Suspense>;
    const isMissing = error instanceof PartLoadError;
    return (
      <div data-part="region-failure" role="alert">
        <CircleAlert size={18} aria-hidden="true" />
        <p>
          {this.props.name} {isMissing ? "couldn't be loaded." : "couldn't be shown."}{" "}
          {isMissing
            ? "You may be offline, or there is a new version of this page."
            : error.message}
        </p>
        <div>
          <Button onClick={() => this.setState({ error: undefined })}>Try again</Button>
          <Button look="bare" onClick={() => location.reload()}>
            Reload
          </Button>
        </div>
      </div>
    );
  }
}

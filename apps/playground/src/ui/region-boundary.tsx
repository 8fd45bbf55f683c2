import { CircleAlert, RotateCw } from "lucide-react";
import { Component, type ReactNode, Suspense } from "react";
import { Button, IconButton } from "./button.tsx";
import { PartLoadError } from "./lazy-part.tsx";
import "./region-boundary.css";

export interface RegionBoundaryProps {
  /** Name of the region, for the words of a failure. */
  name: string;
  /** A row of icons has no room for words: its failure is one more icon, which loads it again. */
  isCompact?: boolean;
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
    const retry = () => this.setState({ error: undefined });
    if (this.props.isCompact) {
      const label = `${this.props.name} couldn't be loaded. Try again.`;
      return <IconButton label={label} icon={<RotateCw size={15} />} onClick={retry} />;
    }
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
          <Button onClick={retry}>Try again</Button>
          <Button look="bare" onClick={() => location.reload()}>
            Reload
          </Button>
        </div>
      </div>
    );
  }
}

import { Component, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";

interface CrashScreenState {
  error: Error | undefined;
}

/** Fallback when rendering fails. The session itself is stored, so a reload restores everything. */
export class CrashScreen extends Component<{ children: ReactNode }, CrashScreenState> {
  override state: CrashScreenState = { error: undefined };

  static getDerivedStateFromError(error: unknown): CrashScreenState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main data-part="crash" role="alert">
        <h1>The page could not be drawn</h1>
        <p>Everything the session did is stored in this browser and is there after a reload.</p>
        <pre>{error.message}</pre>
        <Button look="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </main>
    );
  }
}

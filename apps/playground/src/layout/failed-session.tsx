import { RobotaError } from "@robota/runtime";
import { CircleAlert } from "lucide-react";
import { Button } from "../ui/button.tsx";

export interface FailedSessionProps {
  error: Error;
  onRetry: () => void;
  /** Takes the session from the tab that has it. */
  onTakeOver: () => void;
  onNew: () => void;
}

/** An error screen for a session that can't be opened, with ways to recover. */
export function FailedSession({ error, onRetry, onTakeOver, onNew }: FailedSessionProps) {
  const code = error instanceof RobotaError ? error.code : "";
  const hint = error instanceof RobotaError ? error.hint : "";
  const title =
    code === "SESSION_BUSY"
      ? "This session is open in another tab"
      : code === "NOT_FOUND"
        ? "This session is not in this browser"
        : "This session could not be opened";
  return (
    <div data-part="failed-session" role="alert">
      <CircleAlert size={22} aria-hidden="true" />
      <h2>{title}</h2>
      {code === "SESSION_BUSY" ? (
        <p>Only one tab at a time can write it. Taking it over stops the other tab.</p>
      ) : (
        <>
          <p>{error.message}</p>
          {hint && <p>{hint}</p>}
        </>
      )}
      <div>
        {code === "SESSION_BUSY" && (
          <Button look="primary" onClick={onTakeOver}>
            Use it here
          </Button>
        )}
        {code !== "NOT_FOUND" && (
          <Button look={code === "SESSION_BUSY" ? "plain" : "primary"} onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button look={code === "NOT_FOUND" ? "primary" : "plain"} onClick={onNew}>
          New session
        </Button>
      </div>
    </div>
  );
}

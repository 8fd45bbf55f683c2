import { RobotaError } from "@robota/runtime";
import { CircleAlert } from "lucide-react";
import { usePage } from "../state/page-context.ts";
import { FailedRemote } from "../remote/failed-remote.tsx";
import { Button } from "../ui/button.tsx";

export interface FailedSessionProps {
  error: Error;
  /** The one that was tried. */
  sessionId: string | undefined;
  /** Address of the server that it runs on; in this browser when missing. */
  server: string | undefined;
}

/** An error screen for a session that can't be opened, with ways to recover. */
export function FailedSession({ error, sessionId, server }: FailedSessionProps) {
  const page = usePage();
  if (server) return <FailedRemote error={error} server={server} sessionId={sessionId} />;
  const code = error instanceof RobotaError ? error.code : "";
  const hint = error instanceof RobotaError ? error.hint : "";
  const title =
    code === "SESSION_BUSY"
      ? "This session is open in another tab"
      : code === "NOT_FOUND"
        ? "This session isn't in this browser"
        : "This session could not be opened";
  return (
    <div data-part="failed-session" role="alert">
      <CircleAlert size={22} aria-hidden="true" />
      <h2>{title}</h2>
      {code === "SESSION_BUSY" ? (
        <p>Only one tab at a time can write it. Taking it over stops the other tab.</p>
      ) : code === "NOT_FOUND" ? (
        <p>It may have been deleted, or it belongs to another browser or workspace.</p>
      ) : (
        <>
          <p>{page.wordsOf(error)}</p>
          {hint && <p>{hint}</p>}
        </>
      )}
      <div>
        {code === "SESSION_BUSY" && (
          <Button look="primary" onClick={() => void page.open(sessionId, { takeOver: true })}>
            Use it here
          </Button>
        )}
        {code !== "NOT_FOUND" && (
          <Button
            look={code === "SESSION_BUSY" ? "plain" : "primary"}
            onClick={() => void page.open(sessionId)}
          >
            Try again
          </Button>
        )}
        <Button look={code === "NOT_FOUND" ? "primary" : "plain"} onClick={() => void page.open()}>
          New session
        </Button>
      </div>
    </div>
  );
}

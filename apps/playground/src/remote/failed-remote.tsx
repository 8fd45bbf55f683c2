import { CircleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { openDialog } from "../layout/open-dialog.ts";
import { usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { explainHere, type ServerProblem } from "./explain-server.ts";

export interface FailedRemoteProps {
  error: Error;
  server: string;
  /** The one that was tried. */
  sessionId: string | undefined;
}

/** An error screen for a session on a server, with the way back to it. */
export function FailedRemote({ error, server, sessionId }: FailedRemoteProps) {
  const page = usePage();
  const [problem, setProblem] = useState<ServerProblem>();
  const isAboutToken = error.name === "TokenNeeded" || "status" in error;

  useEffect(() => {
    let isCurrent = true;
    void explainHere(error, server).then((found) => isCurrent && setProblem(found));
    return () => {
      isCurrent = false;
    };
  }, [error, server]);

  return (
    <div data-part="failed-session" role="alert">
      <CircleAlert size={22} aria-hidden="true" />
      <h2>{problem?.title ?? "This session could not be opened"}</h2>
      <p>{problem?.text}</p>
      <div>
        {isAboutToken ? (
          <Button look="primary" onClick={() => openDialog("connect", { server, sessionId })}>
            Enter the token
          </Button>
        ) : (
          <Button look="primary" onClick={() => void page.openRemote(server, sessionId, "replace")}>
            Try again
          </Button>
        )}
        <Button onClick={() => void page.open()}>New session</Button>
      </div>
    </div>
  );
}

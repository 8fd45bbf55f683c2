import { CircleAlert } from "lucide-react";
import type { ServerProblem } from "./explain-server.ts";

/** Says why a server could not be used. */
export function ServerOutcome({ problem }: { problem: ServerProblem | undefined }) {
  if (!problem) return null;
  return (
    <div data-part="providers-outcome" data-state="bad" role="alert">
      <CircleAlert size={16} aria-hidden="true" />
      <div>
        <p>
          <strong>{problem.title}</strong>
        </p>
        <p>{problem.text}</p>
      </div>
    </div>
  );
}

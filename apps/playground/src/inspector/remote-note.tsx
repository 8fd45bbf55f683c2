import { useCurrentSession } from "../state/page-context.ts";
import { serverName } from "../remote/server-name.ts";

/** Says what a panel can't show of a session on a server, and who can. */
export function RemoteNote({ children }: { children: string }) {
  const { phase } = useCurrentSession();
  if (phase.kind !== "remote") return null;
  return (
    <p data-part="inspector-note" role="note">
      This session runs on {serverName(phase.server)}. {children}
    </p>
  );
}

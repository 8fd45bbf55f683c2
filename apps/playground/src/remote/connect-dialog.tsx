import { useState } from "react";
import { usePage } from "../state/page-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ConnectForm } from "./connect-form.tsx";
import { ServerGroup } from "./server-sessions.tsx";

export interface ConnectDialogProps {
  /** Address to begin with. */
  server?: string | undefined;
  /** The session to open then; its list is shown when missing. */
  sessionId?: string | undefined;
  onClose: () => void;
}

/** Connects to a server, and shows its sessions. */
export function ConnectDialog({ server, sessionId, onClose }: ConnectDialogProps) {
  const page = usePage();
  const [connected, setConnected] = useState<string>();

  function go(to: string) {
    if (sessionId === undefined) return setConnected(to);
    onClose();
    void page.openRemote(to, sessionId, "replace");
  }

  return (
    <Dialog title="Connect to a server" onClose={onClose}>
      <div data-part="providers">
        {connected ? (
          <ServerGroup server={connected} onDone={onClose} />
        ) : (
          <>
            <p data-part="providers-soft">
              Sessions of a server run there: with its model, on its files, also while this page is
              closed.
            </p>
            <ConnectForm server={server} onConnected={go} />
          </>
        )}
      </div>
    </Dialog>
  );
}

import type { SessionPlace } from "@robota/runtime/sessions";
import { Cloud } from "lucide-react";
import { openDialog } from "../layout/open-dialog.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { serverName } from "./server-name.ts";
import "../sessions/watch-banner.css";

/** In place of the composer of a session that goes on elsewhere: where it went, and the ways there. */
export function MovedBanner({ to }: { to: SessionPlace }) {
  const page = usePage();
  const { local } = useCurrentSession();
  const { url } = to;
  const isHere = page.sessions.get().some(({ id }) => id === to.sessionId);
  const title = url ? `Continues on ${serverName(url)}` : "Continues elsewhere";
  return (
    <div data-part="watch-banner" role="status">
      <Cloud size={18} aria-hidden="true" />
      <div>
        <strong>{title}</strong>
        <p>What happened here can still be read.</p>
      </div>
      {url && (
        <Button look="primary" onClick={() => void page.openRemote(url, to.sessionId)}>
          Open it there
        </Button>
      )}
      {url && local && (
        <Button
          onClick={() =>
            openDialog("move", {
              direction: "back",
              server: url,
              id: to.sessionId,
              title: local.getName() ?? "This session",
            })
          }
        >
          Bring back
        </Button>
      )}
      {!url && isHere && (
        <Button look="primary" onClick={() => void page.open(to.sessionId)}>
          Open it here
        </Button>
      )}
    </div>
  );
}

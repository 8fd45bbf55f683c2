import { useReadable, useSession } from "@robota/react";
import { connectionsChanged, chosenConnection } from "../connections/connections.ts";
import { keyStates } from "../connections/key-states.ts";
import { modelLabel } from "../connections/labels.ts";
import { serverName } from "../remote/server-name.ts";
import { useCurrentSession } from "../state/page-context.ts";
import { openDialog } from "./open-dialog.ts";

/** The model that answers the next prompt, and where it runs. Opens the model menu. */
export function ModelChip() {
  const { phase, session, local, remote } = useCurrentSession();
  // Redrawn with every switch; the session itself knows what it will ask next.
  useSession(session);
  useReadable(connectionsChanged);
  const { provider, model } = (remote ?? local)?.getModel() ?? chosenConnection();
  const { name, note } = modelLabel(provider, model);
  const keyState = useReadable(keyStates).get(provider);
  const server = phase.kind === "remote" ? phase.server : undefined;
  // Keys of this page are not the server's.
  const state = server ? undefined : keyState;
  const isBlocked = state === "locked" || state === "missing";
  const words = isBlocked
    ? state === "locked"
      ? "key locked"
      : "key needed"
    : server
      ? `on ${serverName(server)}`
      : note;
  return (
    <div data-part="model-chip">
      <button
        type="button"
        data-part="chip"
        aria-haspopup="dialog"
        aria-label={`Model: ${name} — ${words}`}
        onClick={() => openDialog(server ? "connect" : "providers")}
      >
        <span data-part="model-dot" data-blocked={isBlocked || undefined} />
        <span data-part="model-name">{name}</span>
        <span data-part="model-note">— {words}</span>
      </button>
    </div>
  );
}

import { useReadable, useSession } from "@robota/react";
import { connectionsChanged, chosenConnection } from "../connections/connections.ts";
import { keyStates } from "../connections/key-states.ts";
import { modelLabel } from "../connections/labels.ts";
import { useCurrentSession } from "../state/page-context.ts";
import { openDialog } from "./open-dialog.ts";

/** The model that answers the next prompt, and where it runs. Opens the model menu. */
export function ModelChip() {
  const { session, local } = useCurrentSession();
  // Redrawn with every switch; the session itself knows what it will ask next.
  useSession(session);
  useReadable(connectionsChanged);
  const { provider, model } = local?.getModel() ?? chosenConnection();
  const { name, note } = modelLabel(provider, model);
  const state = useReadable(keyStates).get(provider);
  const isBlocked = state === "locked" || state === "missing";
  const words = isBlocked ? (state === "locked" ? "key locked" : "key needed") : note;
  return (
    <div data-part="model-chip">
      <button
        type="button"
        data-part="chip"
        aria-haspopup="dialog"
        aria-label={`Model: ${name} — ${words}`}
        onClick={() => openDialog("providers")}
      >
        <span data-part="model-dot" data-blocked={isBlocked || undefined} />
        <span data-part="model-name">{name}</span>
        <span data-part="model-note">— {words}</span>
      </button>
    </div>
  );
}

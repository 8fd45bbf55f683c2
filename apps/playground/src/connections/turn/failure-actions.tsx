import { openDialog } from "../../layout/open-dialog.ts";
import { FreeSpaceButton } from "../../workspaces/free-space-button.tsx";
import { Button } from "../../ui/button.tsx";

/** Failures that another key, address or model may mend, and what the button for it says. */
const REMEDIES: Readonly<Record<string, string>> = {
  AUTHENTICATION_ERROR: "Change key",
  QUOTA_EXCEEDED: "Change key",
  MODEL_NOT_AVAILABLE: "Choose a model",
  NETWORK_ERROR: "Check the connection",
  INVALID_RESPONSE: "Check the connection",
  NOT_FOUND: "Check the connection",
  REDIRECTED: "Check the connection",
};

/** The way from a failed turn to what may mend it: its model's settings, or the browser's storage. */
export function FailureActions({ code }: { code: string }) {
  if (code === "FULL") return <FreeSpaceButton />;
  const remedy = Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
  return remedy ? <Button onClick={() => openDialog("providers")}>{remedy}</Button> : null;
}

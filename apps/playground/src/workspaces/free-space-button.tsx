import { openDialog } from "../layout/open-dialog.ts";
import { Button } from "../ui/button.tsx";

/** Leads from a full storage to what takes the room. */
export function FreeSpaceButton() {
  return <Button onClick={() => openDialog("workspaces")}>Free space…</Button>;
}

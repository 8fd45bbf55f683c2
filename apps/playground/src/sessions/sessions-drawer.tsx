import { useEffect } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { NARROW, useMedia } from "../ui/use-media.ts";
import { SessionList } from "./session-list.tsx";

/** The list of sessions where it has no room beside the conversation. */
export function SessionsDrawer({ onClose }: { onClose: () => void }) {
  const narrow = useMedia(NARROW);

  useEffect(() => {
    if (!narrow) onClose();
  }, [narrow, onClose]);

  return (
    <Dialog title="Sessions" shape="drawer" onClose={onClose}>
      <SessionList onDone={onClose} />
    </Dialog>
  );
}

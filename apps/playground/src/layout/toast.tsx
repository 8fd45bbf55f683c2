import { useReadable } from "@robota/react";
import { RotateCw, Undo2, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { switchToVersion } from "../editor/leave-page.ts";
import { usePage } from "../state/page-context.ts";
import { newVersion } from "../state/updates.ts";
import type { Problem } from "../state/page-state.ts";
import { announce } from "../ui/announcer.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { FreeSpaceButton } from "../workspaces/free-space-button.tsx";
import "./toast.css";

function Toast({ text, children }: { text: string; children: ReactNode }) {
  useEffect(() => announce(text), [text]);
  return (
    <div data-part="toast">
      <span>{text}</span>
      {children}
    </div>
  );
}

/** Offers to undo the last deletion. */
export function UndoToast({ title, onUndo }: { title: string; onUndo: () => void }) {
  return (
    <Toast text={`Deleted “${title}”`}>
      <Button look="bare" icon={<Undo2 size={15} />} onClick={onUndo}>
        Undo
      </Button>
    </Toast>
  );
}

/** Offers the new version of the page. A run is never interrupted: the offer waits for its end. */
export function UpdateToast() {
  const page = usePage();
  const version = useReadable(newVersion);
  const isBusy = useReadable(page.activity).size > 0;
  const [isLater, setIsLater] = useState(false);
  if (!version || isLater) return null;

  return (
    <Toast
      text={isBusy ? "New version ready. It waits for the running turn." : "New version ready"}
    >
      {!isBusy && (
        <Button
          look="bare"
          icon={<RotateCw size={15} />}
          onClick={() =>
            void switchToVersion(page, version).catch((error: unknown) => page.reportProblem(error))
          }
        >
          Reload
        </Button>
      )}
      <IconButton label="Later" icon={<X size={15} />} onClick={() => setIsLater(true)} />
    </Toast>
  );
}

/** An error message, until it is dismissed. A full storage leads to what takes its room. */
export function ProblemToast({ text, isFull, onDismiss }: Problem & { onDismiss: () => void }) {
  return (
    <Toast text={text}>
      {isFull && <FreeSpaceButton />}
      <IconButton label="Dismiss" icon={<X size={15} />} onClick={onDismiss} />
    </Toast>
  );
}

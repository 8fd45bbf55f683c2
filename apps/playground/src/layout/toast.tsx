import { Undo2, X } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { announce } from "../ui/announcer.tsx";
import { Button, IconButton } from "../ui/button.tsx";
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

/** An error message, until it is dismissed. */
export function ProblemToast({ text, onDismiss }: { text: string; onDismiss: () => void }) {
  return (
    <Toast text={text}>
      <IconButton label="Dismiss" icon={<X size={15} />} onClick={onDismiss} />
    </Toast>
  );
}

import { X } from "lucide-react";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { IconButton } from "./button.tsx";
import "./dialog.css";

export interface DialogProps {
  title: string;
  onClose: () => void;
  /** `drawer` comes from the left edge; `wide` takes the whole screen but for a margin. */
  shape?: "window" | "wide" | "drawer";
  children: ReactNode;
}

/** A `ref` for what has the focus when its dialog opens: React's `autoFocus` runs before the dialog is shown. */
export function focusedFirst(element: HTMLElement | null): void {
  element?.setAttribute("autofocus", "");
}

/** A modal dialog. It is open while rendered; Escape and a click outside close it. */
export function Dialog({ title, onClose, shape = "window", children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Where the last press began: one that selects text may end beside the dialog. */
  const pressed = useRef<EventTarget>(null);

  // Closed while it is still a part of the page: only then the browser gives the focus back to what had it before.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  return (
    <dialog
      ref={dialog}
      data-part="dialog"
      data-shape={shape}
      aria-label={title}
      onCancel={(event) => {
        // A file box inside reports its own cancelling by an event of the same name.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onPointerDown={({ target }) => void (pressed.current = target)}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget && pressed.current === target) onClose();
      }}
    >
      <div data-part="dialog-body">
        <header>
          <h2>{title}</h2>
          <IconButton label="Close" icon={<X size={16} />} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

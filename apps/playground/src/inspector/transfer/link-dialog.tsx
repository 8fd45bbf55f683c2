import { useEffect, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { LINK_NOTE } from "./link-note.ts";
import "../inspector.css";

export interface LinkDialogProps {
  link: string;
  onClose: () => void;
}

/** A link that the page could not copy, selected, so that a person can. */
export function LinkDialog({ link, onClose }: LinkDialogProps) {
  const box = useRef<HTMLTextAreaElement>(null);

  useEffect(() => box.current?.select(), []);

  return (
    <Dialog title="Link with session" onClose={onClose}>
      <div data-part="import">
        <p>The browser did not let the page copy the link. Copy it from here. {LINK_NOTE}</p>
        <textarea
          ref={box}
          data-part="session-link"
          aria-label="Link"
          readOnly
          value={link}
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
        <footer data-part="inspector-actions">
          <Button onClick={onClose}>Done</Button>
        </footer>
      </div>
    </Dialog>
  );
}

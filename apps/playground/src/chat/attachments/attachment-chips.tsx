import type { Attachment } from "@robota/runtime/sessions";
import { FileText, X } from "lucide-react";
import { IconButton } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { addressOf, nameOf, sizeOf } from "./size-of.ts";
import "./attachments.css";

export interface AttachmentChipsProps {
  attachments: readonly Attachment[];
  /** Takes one out; without it they can only be looked at. */
  onRemove?: ((attachment: Attachment) => void) | undefined;
}

/** Pictures and files of a message, each with its name and size. */
export function AttachmentChips({ attachments, onRemove }: AttachmentChipsProps) {
  return (
    <ul data-part="attachments" aria-label="Attachments">
      {attachments.map((attachment, index) => (
        // Two pictures from the clipboard have the same name.
        <li key={`${index} ${nameOf(attachment)}`} data-part="attachment">
          <Preview attachment={attachment} />
          <span data-part="attachment-name" title={nameOf(attachment)}>
            {nameOf(attachment)}
          </span>
          {sizeOf(attachment) > 0 && <small>{formatBytes(sizeOf(attachment))}</small>}
          {onRemove && (
            <IconButton
              data-size="small"
              label={`Remove ${nameOf(attachment)}`}
              icon={<X size={14} />}
              onClick={() => onRemove(attachment)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Pictures at other addresses are not loaded: the page asks nobody but its own services. */
function Preview({ attachment }: { attachment: Attachment }) {
  const address = addressOf(attachment);
  return address?.startsWith("data:") ? (
    <img src={address} alt="" />
  ) : (
    <FileText size={16} aria-hidden="true" />
  );
}

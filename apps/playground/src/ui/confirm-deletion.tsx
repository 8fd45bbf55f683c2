import { Button } from "./button.tsx";
import "./confirm-deletion.css";

export interface ConfirmDeletionProps {
  name: string;
  onDelete: () => void;
  onKeep: () => void;
}

/** Replaces the item to be deleted. */
export function ConfirmDeletion({ name, onDelete, onKeep }: ConfirmDeletionProps) {
  return (
    <div data-part="confirm-deletion" role="group" aria-label={`Delete ${name}?`}>
      <span>Delete “{name}”?</span>
      <div>
        <Button look="danger" autoFocus onClick={onDelete}>
          Delete
        </Button>
        <Button look="bare" onClick={onKeep}>
          Keep
        </Button>
      </div>
    </div>
  );
}

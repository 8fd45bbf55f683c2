import { Clock, X } from "lucide-react";
import { Button, IconButton } from "../ui/button.tsx";
import "./queue.css";

export interface QueueProps {
  prompts: readonly string[];
  onRemove: (prompt: string) => void;
  onClear: () => void;
}

/** Queued prompts, in order. */
export function Queue({ prompts, onRemove, onClear }: QueueProps) {
  if (prompts.length === 0) return null;
  return (
    <section data-part="queue" aria-label="Queue">
      <header>
        <Clock size={14} aria-hidden="true" />
        <h2>{prompts.length === 1 ? "Next in line" : `${prompts.length} in line`}</h2>
        {prompts.length > 1 && (
          <Button look="bare" onClick={onClear}>
            Clear
          </Button>
        )}
      </header>
      <ol>
        {prompts.map((prompt, index) => (
          <li key={index}>
            <span>{prompt}</span>
            <IconButton
              label={`Remove “${prompt.slice(0, 40)}” from the queue`}
              icon={<X size={14} />}
              onClick={() => onRemove(prompt)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

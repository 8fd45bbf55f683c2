import type { UseQueue } from "@robota/react";
import type { QueuedPrompt } from "@robota/runtime/sessions";
import { ArrowDown, ArrowUp, Clock, Paperclip, Pause, Pencil, Play, X } from "lucide-react";
import { useState } from "react";
import { announce } from "../../ui/announcer.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { titleOf } from "../attachments/size-of.ts";
import { QueueEdit } from "./queue-edit.tsx";
import "./queue.css";

export interface QueueProps {
  queue: UseQueue;
  onProblem: (error: unknown) => void;
}

/** The queued prompts, in order, to be edited, moved, removed and paused. Nothing begins while one is edited. */
export function Queue({ queue, onProblem }: QueueProps) {
  const { prompts, isPaused } = queue;
  const [edited, setEdited] = useState<{ id: string; resumes: boolean }>();
  // It may be gone meanwhile, as when it was taken back into the message box.
  const isEdited = prompts.some(({ id }) => id === edited?.id);
  const attempt = (change: Promise<void>): Promise<void> => change.catch(onProblem);

  async function edit({ id }: QueuedPrompt) {
    // Another one that is being edited has paused it.
    setEdited({ id, resumes: (isEdited && edited?.resumes) || !isPaused });
    await attempt(queue.pause());
  }

  async function endEdit(text?: string) {
    if (!edited) return;
    setEdited(undefined);
    if (text !== undefined) await attempt(queue.edit(edited.id, text));
    if (edited.resumes) await attempt(queue.resume());
  }

  function move(id: string, place: number) {
    void attempt(queue.move(id, place));
    announce(`Moved to place ${place + 1} of ${prompts.length}`);
  }

  return (
    <section data-part="queue" data-paused={isPaused || undefined} aria-label="Queue">
      <QueueHeader
        count={prompts.length}
        state={isEdited ? "edited" : isPaused ? "paused" : "waiting"}
        onPause={() => void attempt(queue.pause())}
        onResume={() => void attempt(queue.resume())}
        onClear={queue.clear}
      />
      <ol>
        {prompts.map((prompt, place) => (
          <li key={prompt.id}>
            {prompt.id === edited?.id ? (
              <QueueEdit text={prompt.text} onDone={(text) => void endEdit(text)} />
            ) : (
              <Row
                prompt={prompt}
                isFirst={place === 0}
                isLast={place === prompts.length - 1}
                onEdit={() => void edit(prompt)}
                onMove={(by) => move(prompt.id, place + by)}
                onRemove={() => void attempt(queue.remove(prompt.id))}
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface QueueHeaderProps {
  count: number;
  state: "waiting" | "paused" | "edited";
  onPause: () => void;
  onResume: () => void;
  onClear: () => void;
}

function QueueHeader({ count, state, onPause, onResume, onClear }: QueueHeaderProps) {
  const queued = count === 1 ? "Up next" : `${count} queued`;
  const title = { waiting: queued, paused: `Paused · ${count} queued`, edited: `${queued} · held` };
  return (
    <header>
      {state === "paused" ? (
        <Pause size={14} aria-hidden="true" />
      ) : (
        <Clock size={14} aria-hidden="true" />
      )}
      <h2>{title[state]}</h2>
      {state === "waiting" && (
        <Button look="bare" icon={<Pause size={13} />} onClick={onPause}>
          Pause
        </Button>
      )}
      {state === "paused" && (
        <Button look="bare" icon={<Play size={13} />} onClick={onResume}>
          Resume
        </Button>
      )}
      {count > 1 && (
        <Button look="bare" onClick={onClear}>
          Clear
        </Button>
      )}
    </header>
  );
}

interface RowProps {
  prompt: QueuedPrompt;
  isFirst: boolean;
  isLast: boolean;
  onEdit: () => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}

function Row({ prompt, isFirst, isLast, onEdit, onMove, onRemove }: RowProps) {
  const { displayText, text, attachments = [] } = prompt;
  const shown = titleOf(displayText ?? text, attachments);
  const name = `“${shown.slice(0, 40)}”`;
  return (
    <>
      <span dir="auto">{shown}</span>
      {attachments.length > 0 && (
        <Paperclip size={13} aria-label={`${attachments.length} attached`} />
      )}
      {!isFirst && (
        <IconButton
          label={`Move ${name} up`}
          icon={<ArrowUp size={14} />}
          onClick={() => onMove(-1)}
        />
      )}
      {!isLast && (
        <IconButton
          label={`Move ${name} down`}
          icon={<ArrowDown size={14} />}
          onClick={() => onMove(1)}
        />
      )}
      {/* What a command has made of its arguments is not for people to edit. */}
      {displayText === undefined && (
        <IconButton label={`Edit ${name}`} icon={<Pencil size={13} />} onClick={onEdit} />
      )}
      <IconButton
        label={`Remove ${name} from the queue`}
        icon={<X size={14} />}
        onClick={onRemove}
      />
    </>
  );
}

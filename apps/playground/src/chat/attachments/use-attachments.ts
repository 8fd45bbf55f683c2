import type { Attachment } from "@robota/runtime/sessions";
import { type ClipboardEvent, type DragEvent, useState } from "react";

/** Pictures and files of the message that is being written: pasted, dropped or chosen. */
export function useAttachments(isRemote: boolean, onProblem: (problem: string) => void) {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [isOver, setIsOver] = useState(false);

  async function add(files: readonly File[]): Promise<void> {
    onProblem("");
    try {
      const { readAttachments } = await import("./read-attachments.ts");
      const { read, problems } = await readAttachments(files, { before: attachments, isRemote });
      setAttachments((before) => [...before, ...read]);
      onProblem(problems.join("\n"));
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  }

  function onPaste(event: ClipboardEvent) {
    const { files, types } = event.clipboardData;
    // Programs for tables and texts put a picture beside what was copied.
    if (files.length === 0 || types.includes("text/html")) return;
    event.preventDefault();
    void add([...files]);
  }

  const carriesFiles = ({ dataTransfer }: DragEvent): boolean =>
    dataTransfer.types.includes("Files");

  /** Handlers of the element that takes dropped files. */
  const dropping = {
    onDragOver(event: DragEvent) {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop(event: DragEvent) {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      void add([...event.dataTransfer.files]);
    },
  };

  const remove = (one: Attachment) =>
    setAttachments((before) => before.filter((other) => other !== one));

  return { attachments, setAttachments, add, remove, onPaste, dropping, isOver };
}

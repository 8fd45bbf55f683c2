import type { Attachment } from "@robota/runtime/sessions";
import { type ClipboardEvent, type DragEvent, useRef, useState } from "react";
import { useUnsent } from "./use-unsent.ts";

type Attachments = readonly Attachment[];

export interface AttachmentOptions {
  /** The draft that they belong to. */
  draftId: string;
  isRemote: boolean;
  onProblem: (problem: string) => void;
}

/** Pictures and files of the message that is being written: pasted, dropped or chosen. */
export function useAttachments({ draftId, isRemote, onProblem }: AttachmentOptions) {
  const { attachments, current, setAttachments } = useUnsent(draftId);
  const [beingRead, setBeingRead] = useState<readonly File[]>([]);
  const [isOver, setIsOver] = useState(false);
  /** Ends with what can't be sent, once all files handed over so far are read. */
  const reading = useRef<Promise<string>>(undefined);

  function add(files: readonly File[]): void {
    onProblem("");
    setBeingRead((before) => [...before, ...files]);
    const earlier = reading.current;
    const work = read(files, earlier);
    reading.current = work;
    void work.then((problems) => {
      setBeingRead((before) => before.filter((file) => !files.includes(file)));
      onProblem(problems);
      if (reading.current === work) reading.current = undefined;
    });
  }

  /** Waits for files handed over earlier: they stand first, and the limits count them. */
  async function read(files: readonly File[], earlier?: Promise<string>): Promise<string> {
    const found = [(await earlier) ?? ""];
    try {
      const { readAttachments } = await import("./read-attachments.ts");
      const before = current.current;
      const { read: more, problems } = await readAttachments(files, { before, isRemote });
      setAttachments((now) => [...now, ...more]);
      found.push(...problems);
    } catch (error) {
      found.push(error instanceof Error ? error.message : String(error));
    }
    return found.filter(Boolean).join("\n");
  }

  /** Resolves once all files handed over so far are read: to what can't be sent, or to an empty text. */
  const whenRead = async (): Promise<string> => (await reading.current) ?? "";

  /** Takes them out of the message, for sending. */
  function take(): Attachments {
    const taken = current.current;
    setAttachments(() => []);
    return taken;
  }

  function onPaste(event: ClipboardEvent) {
    const { files, types } = event.clipboardData;
    // Programs for tables and texts put a picture beside what was copied.
    if (files.length === 0 || types.includes("text/html")) return;
    event.preventDefault();
    add([...files]);
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
      add([...event.dataTransfer.files]);
    },
  };

  const remove = (one: Attachment) =>
    setAttachments((before) => before.filter((other) => other !== one));

  return {
    attachments,
    beingRead,
    setAttachments,
    add,
    whenRead,
    take,
    remove,
    onPaste,
    dropping,
    isOver,
  };
}

import type { PermissionRequest } from "@robota/runtime";
import type { PermissionAnswer } from "@robota/runtime/permissions";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useRef, useState } from "react";
import { toolQuestion } from "../tools/describe-tool.ts";
import { IconButton } from "../ui/button.tsx";
import { RequestForm } from "./request-form.tsx";
import "./approval-dock.css";

export interface ApprovalDockProps {
  requests: readonly PermissionRequest[];
  onAnswer: (requestId: string, answer: PermissionAnswer) => void;
  /** Called when the last request was answered from inside the dock. */
  onDone: () => void;
}

/** The open requests for permission, one at a time. It never takes the focus by itself; its keys work inside of it. */
export function ApprovalDock({ requests, onAnswer, onDone }: ApprovalDockProps) {
  const dock = useRef<HTMLElement>(null);
  const [chosenId, setChosenId] = useState<string>();
  const chosen = requests.findIndex((request) => request.id === chosenId);
  const at = Math.max(0, chosen);
  const request = requests[at];

  function show(index: number) {
    setChosenId(requests[index]?.id);
  }

  function answer(requestId: string, given: PermissionAnswer) {
    const hadFocus = dock.current?.contains(document.activeElement) ?? false;
    onAnswer(requestId, given);
    if (!hadFocus) return;
    if (requests.length === 1) onDone();
    else dock.current?.focus();
  }

  if (!request) return null;
  return (
    <section
      ref={dock}
      data-part="approval-dock"
      data-region
      aria-label={`Approval: ${toolQuestion(request.tool)}`}
      tabIndex={-1}
    >
      <RequestForm
        key={request.id}
        request={request}
        onAnswer={(given) => answer(request.id, given)}
        position={
          requests.length > 1 && (
            <div data-part="approval-position">
              <IconButton
                label="Previous request"
                icon={<ChevronLeft size={16} />}
                disabled={at === 0}
                onClick={() => show(at - 1)}
              />
              <span>
                {at + 1} of {requests.length}
              </span>
              <IconButton
                label="Next request"
                icon={<ChevronRight size={16} />}
                disabled={at === requests.length - 1}
                onClick={() => show(at + 1)}
              />
            </div>
          )
        }
      />
    </section>
  );
}

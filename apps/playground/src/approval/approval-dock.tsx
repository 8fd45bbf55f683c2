import type { SessionConnection } from "@robota/react/store";
import type { PermissionRequest } from "@robota/runtime";
import type { PermissionAnswer } from "@robota/runtime/permissions";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { announce } from "../ui/announcer.tsx";
import { OtherCalls } from "./other-calls.tsx";
import { RequestForm } from "./request-form.tsx";
import { requestTitle, titleText } from "./request-title.ts";
import "./approval-dock.css";

export interface ApprovalDockProps {
  session: SessionConnection;
  requests: readonly PermissionRequest[];
  onAnswer: (requestId: string, answer: PermissionAnswer) => void;
  /** Called when the last request was answered from inside the dock. */
  onDone: () => void;
}

/** The open requests for permission, one at a time. It never takes the focus by itself; its keys work inside of it. */
export function ApprovalDock({ session, requests, onAnswer, onDone }: ApprovalDockProps) {
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
    if (given.allow && given.pattern) announce(`Stored the rule ${given.pattern}`);
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
      aria-label={`Approval: ${titleText(requestTitle(request, request.preview))}`}
      tabIndex={-1}
    >
      <RequestForm
        key={request.id}
        request={request}
        session={session}
        onAnswer={(given) => answer(request.id, given)}
        position={requests.length > 1 && <Position at={at} count={requests.length} onShow={show} />}
        others={
          <OtherCalls
            session={session}
            requests={requests}
            currentId={request.id}
            onShow={setChosenId}
          />
        }
      />
    </section>
  );
}

interface PositionProps {
  at: number;
  count: number;
  onShow: (index: number) => void;
}

function Position({ at, count, onShow }: PositionProps) {
  return (
    <div data-part="approval-position">
      <IconButton
        label="Previous request"
        icon={<ChevronLeft size={16} />}
        disabled={at === 0}
        onClick={() => onShow(at - 1)}
      />
      <span>
        {at + 1} of {count}
      </span>
      <IconButton
        label="Next request"
        icon={<ChevronRight size={16} />}
        disabled={at === count - 1}
        onClick={() => onShow(at + 1)}
      />
    </div>
  );
}

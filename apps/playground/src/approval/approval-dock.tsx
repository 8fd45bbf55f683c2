import type { PermissionRequest } from "@robota/runtime";
import type { PermissionAnswer } from "@robota/runtime/permissions";
import { ChevronLeft, ChevronRight, Hand } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { toolQuestion } from "../tools/describe-tool.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Exact } from "../ui/exact-text.tsx";
import { AlwaysForm } from "./always-form.tsx";
import { RequestPreview } from "./request-preview.tsx";
import "./approval-dock.css";

/** A press within this time after a request appears was meant for something else. In milliseconds. */
const GUARD_MS = 300;

export interface ApprovalDockProps {
  /** The section, for whoever moves the focus to it. */
  dock: RefObject<HTMLElement | null>;
  requests: readonly PermissionRequest[];
  onAnswer: (requestId: string, answer: PermissionAnswer) => void;
  /** Called when the last request was answered from inside the dock. */
  onDone: () => void;
}

/** The open requests for permission, one at a time. It never takes the focus by itself; its keys work inside of it. */
export function ApprovalDock({ dock, requests, onAnswer, onDone }: ApprovalDockProps) {
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

interface RequestFormProps {
  request: PermissionRequest;
  onAnswer: (answer: PermissionAnswer) => void;
  position: ReactNode;
}

function RequestForm({ request, onAnswer, position }: RequestFormProps) {
  const title = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [guarded, setGuarded] = useState(true);
  const [note, setNote] = useState("");
  const [edited, setEdited] = useState<string>();
  const [choosingScope, setChoosingScope] = useState(false);

  useEffect(() => {
    const timer = setTimeout(() => setGuarded(false), GUARD_MS);
    // After an answer from inside the dock, the keyboard goes on with the next request.
    if (heading.current?.closest("section") === document.activeElement) heading.current?.focus();
    return () => clearTimeout(timer);
  }, []);

  const original = request.args["command"];
  const command = typeof original === "string" ? (edited ?? original) : undefined;
  // What is shown is what runs.
  const changed = command === original ? {} : { updatedArgs: { ...request.args, command } };
  const reason = note.trim() ? { reason: note.trim() } : {};
  const allowOnce = () => onAnswer({ allow: true, scope: "once", ...changed, ...reason });
  const deny = () => onAnswer({ allow: false, ...reason });

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input[type=text], textarea");
    // Whoever writes a note has seen the request; other keys may still be meant for what had the focus before.
    if (guarded && !isTyping) return;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !choosingScope) {
      event.preventDefault();
      deny();
      return;
    }
    if (event.key === "Escape" && choosingScope) {
      event.preventDefault();
      event.stopPropagation();
      setChoosingScope(false);
      heading.current?.focus();
      return;
    }
    if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "1") allowOnce();
    else if (event.key === "2") setChoosingScope(true);
    else if (event.key === "3") deny();
    else return;
    event.preventDefault();
  }

  return (
    <div data-part="approval" role="group" aria-labelledby={title} onKeyDown={onKeyDown}>
      <p role="alert" data-part="visually-hidden">
        {toolQuestion(request.tool)}. <Exact text={request.reason} />
      </p>
      <header>
        <Hand size={16} aria-hidden="true" />
        <h2 id={title} ref={heading} tabIndex={-1}>
          {toolQuestion(request.tool)}
        </h2>
        {position}
      </header>
      <div data-part="approval-body">
        <RequestPreview request={request} command={command} onCommand={setEdited} />
        <p data-part="approval-reason">
          Why asked: <Exact text={request.reason} />
        </p>
      </div>
      {choosingScope ? (
        <AlwaysForm
          request={request}
          onCancel={() => setChoosingScope(false)}
          onConfirm={(scope, pattern) =>
            onAnswer({ allow: true, scope, ...(pattern && { pattern }), ...changed, ...reason })
          }
        />
      ) : (
        <footer>
          <textarea
            aria-label="Note for the model, sent with either answer"
            placeholder="Add a note for the model (optional)"
            rows={1}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          <div data-part="approval-actions">
            <Button
              look="primary"
              hint="1"
              disabled={guarded}
              data-guarded={guarded || undefined}
              onClick={allowOnce}
            >
              {command === original ? "Allow once" : "Allow as edited"}
            </Button>
            <Button hint="2" disabled={guarded} onClick={() => setChoosingScope(true)}>
              Always…
            </Button>
            <Button look="danger" hint="3" disabled={guarded} onClick={deny}>
              {note.trim() ? "Deny with reason" : "Deny"}
            </Button>
          </div>
        </footer>
      )}
    </div>
  );
}

import type { PermissionRequest } from "@robota/runtime";
import type { PermissionAnswer } from "@robota/runtime/permissions";
import { Hand } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { toolQuestion } from "../tools/describe-tool.ts";
import { Exact } from "../ui/exact-text.tsx";
import { AlwaysForm } from "./always-form.tsx";
import { AnswerButtons } from "./answer-buttons.tsx";
import { RequestPreview } from "./request-preview.tsx";

/** A press within this time after a request appears was meant for something else. In milliseconds. */
const GUARD_MS = 300;

export interface RequestFormProps {
  request: PermissionRequest;
  onAnswer: (answer: PermissionAnswer) => void;
  position: ReactNode;
}

/** One request and its possible answers. */
export function RequestForm({ request, onAnswer, position }: RequestFormProps) {
  const title = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [guarded, setGuarded] = useState(true);
  const [note, setNote] = useState("");
  const [edited, setEdited] = useState<string>();
  const [choosingScope, setChoosingScope] = useState(false);

  useEffect(() => {
    const timer = setTimeout(() => setGuarded(false), GUARD_MS);
    // After an answer from inside the dock, the focus moves to the next request.
    if (heading.current?.closest("section") === document.activeElement) heading.current?.focus();
    return () => clearTimeout(timer);
  }, []);

  const original = request.args["command"];
  const command = typeof original === "string" ? (edited ?? original) : undefined;
  const isChanged = command !== original;
  // The approved arguments are the ones shown.
  const changed = isChanged ? { updatedArgs: { ...request.args, command } } : {};
  const reason = note.trim() ? { reason: note.trim() } : {};
  const allowOnce = () => onAnswer({ allow: true, scope: "once", ...changed, ...reason });
  const deny = () => onAnswer({ allow: false, ...reason });

  const onKeyDown = (event: KeyboardEvent) =>
    answerByKey(event, {
      guarded,
      choosingScope,
      allowOnce,
      deny,
      chooseScope: () => setChoosingScope(true),
      leaveScope() {
        setChoosingScope(false);
        heading.current?.focus();
      },
    });

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
            onAnswer({ allow: true, scope, pattern, ...changed, ...reason })
          }
        />
      ) : (
        <AnswerButtons
          note={note}
          onNote={setNote}
          guarded={guarded}
          isChanged={isChanged}
          onAllow={allowOnce}
          onAlways={() => setChoosingScope(true)}
          onDeny={deny}
        />
      )}
    </div>
  );
}

interface KeyActions {
  guarded: boolean;
  choosingScope: boolean;
  allowOnce: () => void;
  deny: () => void;
  chooseScope: () => void;
  leaveScope: () => void;
}

function answerByKey(event: KeyboardEvent, actions: KeyActions) {
  if (event.nativeEvent.isComposing) return;
  const { guarded, choosingScope } = actions;
  const target = event.target as HTMLElement;
  const isTyping = target.matches("input[type=text], textarea");
  // A person who types a note has seen the request; other keys may still be meant for the previously focused element.
  if (guarded && !isTyping) return;
  if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !choosingScope) {
    event.preventDefault();
    actions.deny();
    return;
  }
  if (event.key === "Escape" && choosingScope) {
    event.preventDefault();
    event.stopPropagation();
    actions.leaveScope();
    return;
  }
  if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key === "1") actions.allowOnce();
  else if (event.key === "2") actions.chooseScope();
  else if (event.key === "3") actions.deny();
  else return;
  event.preventDefault();
}

import type { SessionConnection } from "@robota/react/store";
import type { PermissionRequest } from "@robota/runtime";
import type { PermissionAnswer } from "@robota/runtime/permissions";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { AnswerButtons } from "./answer-buttons.tsx";
import { useAnswerDraft } from "./answer-draft.ts";
import { answerByKey } from "./answer-keys.ts";
import { AskedBecause } from "./asked-because.tsx";
import { RequestHead } from "./request-head.tsx";
import { RequestPreview } from "./request-preview.tsx";
import { requestTitle } from "./request-title.ts";
import { ScopeForm } from "./scope-form.tsx";

/** A press within this time after a request appears was meant for something else. In milliseconds. */
const GUARD_MS = 300;

export interface RequestFormProps {
  request: PermissionRequest;
  session: SessionConnection;
  onAnswer: (answer: PermissionAnswer) => void;
  /** The place among several requests, beside the title. */
  position: ReactNode;
  /** Other requests and calls, below the title. */
  others: ReactNode;
}

/** One request and its possible answers. */
export function RequestForm(props: RequestFormProps) {
  const { request } = props;
  const { draft, onDraft, onAnswer } = useAnswerDraft(request.id, props.onAnswer);
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const guarded = useGuard(heading);
  const [choosingScope, setChoosingScope] = useState(false);

  const original = request.args["command"];
  const command = typeof original === "string" ? (draft.command ?? original) : undefined;
  const isChanged = command !== original;
  // The approved arguments are the ones shown.
  const args = isChanged ? { ...request.args, command: command ?? "" } : request.args;
  const changed = isChanged ? { updatedArgs: args } : {};
  const note = draft.note.trim();
  const reason = note ? { reason: note } : {};
  const allowOnce = () => onAnswer({ allow: true, scope: "once", ...changed, ...reason });
  const deny = () => onAnswer({ allow: false, ...reason });
  const leaveScope = () => {
    setChoosingScope(false);
    heading.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) =>
    answerByKey(event, {
      guarded,
      choosingScope,
      allowOnce,
      deny,
      chooseScope: () => setChoosingScope(true),
      leaveScope,
    });

  return (
    <div data-part="approval" role="group" aria-labelledby={titleId} onKeyDown={onKeyDown}>
      <RequestHead
        id={titleId}
        request={request}
        title={requestTitle({ tool: request.tool, args }, request.preview)}
        heading={heading}
        position={props.position}
        onStop={() => props.session.abort()}
      />
      <div data-part="approval-body">
        {props.others}
        <RequestPreview
          request={request}
          command={command}
          onCommand={(text) => onDraft({ ...draft, command: text })}
        />
        <AskedBecause request={request} />
      </div>
      {choosingScope ? (
        <ScopeForm
          request={request}
          args={args}
          session={props.session}
          onCancel={leaveScope}
          onConfirm={(scope, pattern) =>
            onAnswer({ allow: true, scope, pattern, ...changed, ...reason })
          }
        />
      ) : (
        <AnswerButtons
          note={draft.note}
          onNote={(text) => onDraft({ ...draft, note: text })}
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

/** True for a moment after the request has appeared. */
function useGuard(heading: { current: HTMLHeadingElement | null }): boolean {
  const [guarded, setGuarded] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setGuarded(false), GUARD_MS);
    // After an answer from inside the dock, the focus moves to the next request.
    const element = heading.current;
    if (element?.closest("section") === document.activeElement) element?.focus();
    return () => clearTimeout(timer);
  }, [heading]);
  return guarded;
}

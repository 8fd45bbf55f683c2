import { type SessionConnection, sessionStore } from "@robota/react/store";
import type { PermissionRequest } from "@robota/runtime";
import type { GrantScope } from "@robota/runtime/permissions";
import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Exact } from "../ui/exact-text.tsx";
import { earlierCalls, patternMeaning, patternProblem } from "./pattern-reach.ts";
import { PatternReach } from "./reach-view.tsx";

export type WideScope = Exclude<GrantScope, "once">;

export interface ScopeFormProps {
  request: PermissionRequest;
  /** The call as it would run. */
  args: PermissionRequest["args"];
  /** Its other calls are what the pattern is tried on. */
  session: SessionConnection;
  onCancel: () => void;
  onConfirm: (scope: WideScope, pattern: string) => void;
}

const scopes: readonly { id: WideScope; label: string }[] = [
  { id: "turn", label: "This turn" },
  { id: "session", label: "This session" },
  { id: "workspace", label: "This workspace" },
];

/** A form for a lasting allowance: how long, for which calls, and which of them it would have let through. */
export function ScopeForm(props: ScopeFormProps) {
  const { request, args, session, onCancel, onConfirm } = props;
  const group = useId();
  const meaning = useId();
  const first = useRef<HTMLInputElement>(null);
  const [scope, setScope] = useState<WideScope>("session");
  const [pattern, setPattern] = useState(request.suggestedPattern ?? request.tool);
  const [earlier] = useState(() => earlierCalls(sessionStore(session).get().timeline, request));
  const text = pattern.trim();
  const problem = patternProblem(text, request.tool);

  useEffect(() => first.current?.focus(), []);

  return (
    <form
      data-part="scope-form"
      aria-label="Always allow"
      onSubmit={(event) => {
        event.preventDefault();
        if (!problem) onConfirm(scope, text);
      }}
    >
      <fieldset>
        <legend>Allow without asking for</legend>
        {scopes.map(({ id, label }) => (
          <label key={id}>
            <input
              type="radio"
              name={group}
              ref={id === scope ? first : undefined}
              checked={scope === id}
              onChange={() => setScope(id)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <label data-part="pattern">
        <span>Calls that match</span>
        <input
          type="text"
          value={pattern}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={meaning}
          onChange={(event) => setPattern(event.target.value)}
        />
      </label>
      <div id={meaning} data-part="pattern-meaning" role="status">
        <p data-bad={problem !== undefined || undefined}>
          <Exact text={problem ?? patternMeaning(text, request.tool)} />
        </p>
        {!problem && (
          <PatternReach pattern={text} call={{ tool: request.tool, args }} earlier={earlier} />
        )}
      </div>
      <div data-part="approval-actions">
        <Button type="submit" look="primary" disabled={problem !== undefined}>
          Allow and remember
        </Button>
        <Button look="bare" onClick={onCancel}>
          Back
        </Button>
      </div>
    </form>
  );
}

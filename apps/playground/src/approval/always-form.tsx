import type { PermissionRequest } from "@robota/runtime";
import type { GrantScope } from "@robota/runtime/permissions";
import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Exact } from "../ui/exact-text.tsx";

type WideScope = Extract<GrantScope, "turn" | "session">;

export interface AlwaysFormProps {
  request: PermissionRequest;
  onCancel: () => void;
  onConfirm: (scope: WideScope, pattern: string) => void;
}

const scopes: readonly { id: WideScope; label: string }[] = [
  { id: "turn", label: "Until this turn ends" },
  { id: "session", label: "For this session" },
];

/** A form for the scope of an allowance: how long, and for which calls. */
export function AlwaysForm({ request, onCancel, onConfirm }: AlwaysFormProps) {
  const group = useId();
  const first = useRef<HTMLInputElement>(null);
  const [scope, setScope] = useState<WideScope>("session");
  const [pattern, setPattern] = useState(request.suggestedPattern ?? request.tool);
  const problem = patternProblem(pattern, request.tool);

  useEffect(() => first.current?.focus(), []);

  return (
    <form
      data-part="always-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!problem) onConfirm(scope, pattern.trim());
      }}
    >
      <fieldset>
        <legend>Allow without asking</legend>
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
          aria-invalid={problem !== undefined}
          onChange={(event) => setPattern(event.target.value)}
        />
      </label>
      <p data-part="pattern-meaning" data-bad={problem !== undefined || undefined}>
        <Exact text={problem ?? patternMeaning(pattern.trim(), request.tool)} />
      </p>
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

function patternProblem(pattern: string, tool: string): string | undefined {
  const text = pattern.trim();
  if (text === tool) return undefined;
  if (text.startsWith(`${tool}(`) && text.endsWith(")") && text.length > tool.length + 2) {
    return undefined;
  }
  return `Write ${tool} for all of its calls, or ${tool}(…) with a pattern.`;
}

function patternMeaning(pattern: string, tool: string): string {
  if (pattern === tool) return `Matches every call of ${tool}, with any arguments.`;
  const inner = pattern.slice(tool.length + 1, -1);
  if (!inner.includes("*")) return `Matches exactly “${inner}”.`;
  if (inner === "*" || inner === "**") return `Matches every call of ${tool}.`;
  return `Matches “${inner}”, where * stands for anything.`;
}

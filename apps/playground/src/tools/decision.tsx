import type { PermissionDecisionRecord } from "@robota/runtime/permissions";
import type { ToolItem } from "@robota/react/store";

const deciders: Readonly<Record<PermissionDecisionRecord["by"], string>> = {
  person: "you",
  handler: "the program's handler",
  rule: "a rule",
  mode: "the permission mode",
  grant: "an earlier “always”",
  hook: "a hook",
  abort: "stopping the turn",
  default: "no person was available",
};

const scopes: Readonly<Record<NonNullable<PermissionDecisionRecord["scope"]>, string>> = {
  once: "this call",
  turn: "this turn",
  session: "this session",
  workspace: "this workspace",
};

/** The reason of the request, its answer, and who gave it. */
export function Decision({ item: { request, decision } }: { item: ToolItem }) {
  return (
    <dl data-part="decision">
      {request && (
        <div>
          <dt>Why asked</dt>
          <dd>{request.reason}</dd>
        </div>
      )}
      {decision ? (
        <>
          <div>
            <dt>Decision</dt>
            <dd>{decision.allow ? "Allowed" : "Not allowed, nothing was run"}</dd>
          </div>
          <div>
            <dt>By</dt>
            <dd>{deciders[decision.by]}</dd>
          </div>
          {decision.scope && (
            <div>
              <dt>For</dt>
              <dd>{scopes[decision.scope]}</dd>
            </div>
          )}
          {decision.pattern && (
            <div>
              <dt>Stored rule</dt>
              <dd>
                <code>{decision.pattern}</code>
              </dd>
            </div>
          )}
          {decision.reason && (
            <div>
              <dt>Reason</dt>
              <dd>{decision.reason}</dd>
            </div>
          )}
          {decision.updatedArgs && (
            <div>
              <dt>Changed</dt>
              <dd>The arguments were edited before it ran.</dd>
            </div>
          )}
        </>
      ) : (
        <div>
          <dt>Decision</dt>
          <dd>Not answered yet</dd>
        </div>
      )}
    </dl>
  );
}

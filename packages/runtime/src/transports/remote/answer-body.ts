import { ValidationError } from "../../errors.ts";
import type { PermissionResult } from "../../permissions/permission.ts";
import { recordOf } from "../../session/approvals/answers.ts";

/**
 * The body that answers a request for permission. Of changed arguments it takes only the `answer` of a server's form.
 * @throws {ValidationError} for an answer that is none, and for other changed arguments
 */
export function answerBody(answer: PermissionResult) {
  const { allow, scope, pattern, reason, updatedArgs } = recordOf(answer, "person");
  const { answer: form, ...others } = updatedArgs ?? {};
  if (updatedArgs !== undefined && (form === undefined || Object.keys(others).length > 0)) {
    throw new ValidationError("Arguments of a call can't be changed from elsewhere", {
      hint: "Deny the call with a reason that says what to do instead.",
    });
  }
  const decision = allow ? ("allow" as const) : ("deny" as const);
  return { decision, scope, pattern, reason, answer: form };
}

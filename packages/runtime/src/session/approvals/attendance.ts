import type { Platform } from "../../ports/platform.ts";
import type { PermissionRequest } from "../log/events.ts";

const ALWAYS = (): boolean => true;

/** Warns developers, once per session, of a pending request that nobody can see. */
export class Attendance {
  readonly #platform: Pick<Platform, "warn">;
  /** Reports whether anybody follows the session; set by its user-facing wrapper. */
  #isAttended = ALWAYS;
  #hasWarned = false;

  constructor(platform: Pick<Platform, "warn">) {
    this.#platform = platform;
  }

  watch(isAttended: () => boolean): void {
    this.#isAttended = isAttended;
  }

  /** A request waits: no hook and no handler has answered it. The arguments may hold secrets, and are not shown. */
  waits({ tool }: Pick<PermissionRequest, "tool">): void {
    if (this.#hasWarned || this.#isAttended()) return;
    this.#hasWarned = true;
    this.#platform.warn?.(
      `The session waits for permission to call ${tool}, and nothing listens. Either call session.resolvePermission(id, ` +
        `{ allow: true }) from session.on("permission_request", ({ id }) => …), or pass a permissionHandler, or allow ` +
        `the call by a rule or mode: permissions: { allow: ["${tool}(…)"] }, permissionMode: "acceptEdits".`,
    );
  }
}

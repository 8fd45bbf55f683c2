import type { PermissionMode } from "../../permissions/permission.ts";
import { raceAbort, wait } from "../../abort.ts";
import { delayBefore, type Delays } from "./backoff.ts";
import { Deadline } from "./deadline.ts";
import { HttpLink } from "./http-link.ts";
import { fetchOf, type RemoteAddress, sessionsAddress, tokenOf } from "./link-to.ts";
import type { RemoteAnswer } from "./link.ts";
import { problemError } from "./problem-error.ts";
import { objectOf } from "./read-wire.ts";
import { RemoteError } from "./remote-error.ts";
import { TRY_FOR_MS } from "./remote-requests.ts";
import { isPassingStatus, mayPass } from "./session-follower.ts";

export interface NewRemoteSession {
  /** Shown in the list of sessions. */
  name?: string | undefined;
  permissionMode?: PermissionMode | undefined;
  /** The id that it should have, a UUID; the server gives another one when that is taken. Needs the scope `admin`. */
  wantedId?: string | undefined;
}

export type NewSessionOptions = RemoteAddress &
  NewRemoteSession &
  Delays & { timeoutMs?: number | undefined };

/** Creates a session on a server, one however often the request has to be sent. Resolves to its id. */
export async function newSession(options: NewSessionOptions): Promise<string> {
  const { name, permissionMode, wantedId: id, timeoutMs = TRY_FOR_MS } = options;
  const link = new HttpLink({
    address: sessionsAddress(options),
    fetch: fetchOf(options),
    token: () => tokenOf(options),
  });
  const key = crypto.randomUUID();
  const body = { name, permissionMode, id };
  const giveUpAt = Date.now() + timeoutMs;
  for (let failures = 0; ; failures += 1) {
    try {
      using deadline = new Deadline(giveUpAt - Date.now());
      const { signal } = deadline;
      const asking = link.request({ method: "POST", path: "", body, key, signal });
      const answer = await raceAbort(asking, signal);
      if (answer.status === 201) return idIn(answer);
      if (!isPassingStatus(answer.status) || Date.now() >= giveUpAt) throw problemError(answer);
    } catch (error) {
      if (!mayPass(error) || Date.now() >= giveUpAt) throw error;
    }
    await wait(delayBefore(failures, options));
  }
}

function idIn({ body }: RemoteAnswer): string {
  const { id } = objectOf(body);
  if (typeof id === "string") return id;
  throw new RemoteError("BAD_ANSWER", "The server made a session and did not tell its id");
}

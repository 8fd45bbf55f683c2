import type { InteractiveSession } from "../../../interactive/interactive-session.ts";
import type { Attachment, JsonObject } from "../../../messages/message.ts";
import type { BodyLimits } from "../body/body-limits.ts";
import type { Principal } from "../principal/principal.ts";
import { HttpProblem } from "../problem.ts";
import type { SessionStreams } from "../session-streams.ts";
import type { Submission } from "../submit-message.ts";

/** The session of a request, and the way to answer with its events. */
export interface ProfileContext {
  session: InteractiveSession;
  stream: SessionStreams;
}

/** A person's message, as any client sends it. */
export interface ClientMessage {
  text: string;
  displayText?: string | undefined;
  attachments?: readonly Attachment[] | undefined;
  /** JSON Schema of the answer. */
  responseFormat?: JsonObject | undefined;
  /** The client's own name of the message, which is sent once however often it comes. */
  key?: string | undefined;
  /** Called before a message that did not come before; it is not sent if that throws. */
  check?: (() => void) | undefined;
}

export interface PostContext extends ProfileContext {
  /** The caller that sends it. */
  principal: Principal;
  limits: BodyLimits;
  submit: (message: ClientMessage) => Promise<Submission>;
}

/** A protocol of existing clients. */
export type ProfileName = "ai-sdk-ui" | "ag-ui";

export interface Profile {
  /** Answers a client's message, which may be an answer to a request for approval. */
  post(request: Request, context: PostContext): Promise<Response>;
  /** Every event behind `after`, also of later turns. */
  follow(context: ProfileContext, after: number): Response;
}

export const loadChat = () => import("./ai-sdk-ui.ts");
const load: Record<ProfileName, () => Promise<Profile>> = {
  "ai-sdk-ui": loadChat,
  "ag-ui": () => import("./ag-ui.ts"),
};

/** Loads the handlers of a protocol. */
export function loadProfile(name: ProfileName): Promise<Profile> {
  return load[name]();
}

/**
 * The protocol that a request asks for, in its address or as a parameter of `Accept`; `undefined` for the session's own.
 * @throws {HttpProblem} 406
 */
export function profileOf(request: {
  query(name: string): string | undefined;
  header(name: string): string | undefined;
}): ProfileName | undefined {
  const [, ofAccept] = /;\s*profile="?([^",;\s]+)/.exec(request.header("accept") ?? "") ?? [];
  const name = request.query("profile") ?? ofAccept;
  if (name === undefined) return undefined;
  if (Object.hasOwn(load, name)) return name as ProfileName;
  throw new HttpProblem(406, "UNKNOWN_PROFILE", `"${name}" is not a profile of this server.`, {
    hint: `It has ${Object.keys(load).join(" and ")}.`,
  });
}

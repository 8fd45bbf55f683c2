import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { Principal } from "./principal/principal.ts";

/** Context of an authorised request to a session. */
export interface SessionEnvironment {
  Variables: {
    principal: Principal;
    session: InteractiveSession;
    /** Token of a new anonymous caller. */
    newToken?: string;
  };
}

import type { SocketFacts } from "../web-socket/socket.ts";
import type { InteractiveSession } from "../../interactive/interactive-session.ts";
import type { Principal } from "./principal/principal.ts";

/** The second argument of `fetch`: callbacks of a host that serves sockets. */
export interface SocketBindings {
  /** Called for a request that may open a socket, whose host then answers it by itself. */
  acceptSocket?: ((facts: SocketFacts, session: InteractiveSession) => void) | undefined;
  /** Called with the answer of a session elsewhere that has opened one; only this very answer carries the socket. */
  switched?: ((response: Response) => void) | undefined;
}

/** Context of an authorised request to a session. */
export interface SessionEnvironment {
  /** Absent without a second argument. */
  Bindings: SocketBindings;
  Variables: {
    principal: Principal;
    session: InteractiveSession;
    /** Token of a new anonymous caller. */
    newToken?: string;
  };
}

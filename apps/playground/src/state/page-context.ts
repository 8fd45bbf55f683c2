import { useReadable } from "@robota/react";
import type { SessionConnection } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import type { ClientSession } from "@robota/runtime/sessions";
import type { RemoteSession } from "@robota/runtime/transports";
import { createContext, use } from "react";
import type { AgentHost } from "../agent-host.ts";
import type { PageState } from "./page-state.ts";
import type { WorkspacePhase } from "./workspace-phase.ts";

export const PageContext = createContext<PageState | undefined>(undefined);

/** The page, from any part of it. */
export function usePage(): PageState {
  const page = use(PageContext);
  if (!page) throw new Error("usePage is called outside of the page");
  return page;
}

/** The page's files and storage, as soon as they are there. */
export function useHost(): AgentHost | undefined {
  return useReadable(usePage().host);
}

/** The session that the page shows. */
export interface CurrentSession {
  phase: WorkspacePhase;
  /** For the hooks of `@robota/react`. Missing until it is open. It can only be read while another tab has it. */
  session: SessionConnection | undefined;
  /** The same session with all that it can do, when it runs in this tab. */
  local: InteractiveSession | undefined;
  /** The same session when it runs on a server. */
  remote: RemoteSession | undefined;
  /** The same session, wherever it runs; missing while it can only be read. */
  own: ClientSession | undefined;
}

/** The session that the page shows, from any part of it. */
export function useCurrentSession(): CurrentSession {
  const phase = useReadable(usePage().phase);
  const local = phase.kind === "ready" ? phase.session : undefined;
  const remote = phase.kind === "remote" ? phase.session : undefined;
  const session = "session" in phase ? phase.session : undefined;
  return { phase, session, local, remote, own: local ?? remote };
}

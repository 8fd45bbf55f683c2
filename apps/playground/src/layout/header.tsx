import { useContextUsage, useReadable, useSession } from "@robota/react";
import { Menu, PanelLeft, PanelRight, ScrollText, Search } from "lucide-react";
import { isSearching } from "../search/search-state.ts";
import { firstPrompt, sessionTitle } from "../sessions/session-title.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { inspectorOpen, panelOpen, sessionsOpen } from "../state/preferences.ts";
import { IconButton } from "../ui/button.tsx";
import { NARROW, PHONE, useMedia } from "../ui/use-media.ts";
import { ContextMeter } from "./context-meter.tsx";
import { ModelChip } from "./model-chip.tsx";
import { SettingsMenu } from "./settings-menu.tsx";
import { inFront, toggleRegion, toggleSessions } from "./view.ts";
import "./header.css";

/** The session's title and context, and what opens the other regions. On a phone, tabs at the bottom open those. */
export function Header() {
  const { session } = useCurrentSession();
  const narrow = useMedia(NARROW);
  const phone = useMedia(PHONE);
  const sessionsShown = useReadable(sessionsOpen);
  const workspaceShown = useReadable(panelOpen);
  const inspectorShown = useReadable(inspectorOpen);
  const usage = useContextUsage(session);
  const title = useTitle();
  return (
    <header data-part="header">
      <IconButton
        label={narrow ? "Sessions" : sessionsShown ? "Hide sessions" : "Show sessions"}
        icon={narrow ? <Menu size={18} /> : <PanelLeft size={17} />}
        aria-pressed={narrow ? undefined : sessionsShown}
        onClick={toggleSessions}
      />
      <Logo />
      <h1 data-part="header-title" title={title}>
        {title}
      </h1>
      {session && usage && <ContextMeter usage={usage} />}
      <ModelChip />
      {phone && session && (
        <IconButton
          label="Search the conversation"
          icon={<Search size={18} />}
          onClick={() => {
            inFront.set("chat");
            isSearching.set(true);
          }}
        />
      )}
      <SettingsMenu />
      {!phone && (
        <>
          <IconButton
            label={inspectorShown ? "Hide inspector" : "Show inspector"}
            icon={<ScrollText size={17} />}
            aria-pressed={inspectorShown}
            onClick={() => toggleRegion("inspector")}
          />
          <IconButton
            label={workspaceShown ? "Hide workspace" : "Show workspace"}
            icon={<PanelRight size={17} />}
            aria-pressed={workspaceShown}
            onClick={() => toggleRegion("workspace")}
          />
        </>
      )}
    </header>
  );
}

function useTitle(): string {
  const { session, remote } = useCurrentSession();
  const { name } = useSession(session);
  const sessions = useReadable(usePage().sessions);
  const current = sessions.find(({ id }) => id === session?.sessionId);
  const asked = remote && firstPrompt(remote.getMessages());
  if (asked !== undefined) return sessionTitle({ name, preview: asked });
  return name || (current ? sessionTitle(current) : "New session");
}

function Logo() {
  return (
    <span data-part="logo">
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M9 11.5 14 16l-5 4.5" />
        <path d="M17 21h6.5" />
      </svg>
      Robota
    </span>
  );
}

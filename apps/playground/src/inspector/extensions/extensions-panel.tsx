import type { InteractiveSession } from "@robota/runtime";
import { useCurrentSession } from "../../state/page-context.ts";
import { EmptyPanel, PanelBody } from "../section.tsx";
import { StaleNote } from "../stale-note.tsx";
import { AgentsSection } from "./agents-section.tsx";
import { PluginsSection } from "./plugins-section.tsx";
import { RemoteExtensions } from "./remote-extensions.tsx";
import { ServersSection } from "./servers-section.tsx";
import { SkillsSection } from "./skills-section.tsx";

/** The session's skills, agents, plugins and MCP servers. */
export function ExtensionsPanel() {
  const { local, remote } = useCurrentSession();
  if (remote) return <RemoteExtensions key={remote.sessionId} session={remote} />;
  if (!local) return <EmptyPanel>Extensions are shown once the session is open.</EmptyPanel>;
  return <Extensions key={local.sessionId} session={local} />;
}

function Extensions({ session }: { session: InteractiveSession }) {
  return (
    <PanelBody label="Extensions">
      <StaleNote />
      <ServersSection session={session} />
      <PluginsSection session={session} />
      <SkillsSection session={session} />
      <AgentsSection session={session} />
    </PanelBody>
  );
}

import { Suspense } from "react";
import { FilesPanel } from "../files/files-panel.tsx";
import { EventLog } from "../lazy.ts";
import type { AgentHost } from "../agent-host.ts";
import type { InteractiveSession } from "@robota/runtime";
import type { PageState } from "../state/page-state.ts";
import { Tabs } from "../ui/tabs.tsx";
import { WorkspaceFrame } from "../workspaces/workspace-frame.tsx";
import type { PanelTab } from "./panel-tab.ts";
import { Splitter } from "./splitter.tsx";

const tabs = [
  { id: "files", label: "Files" },
  { id: "log", label: "Log" },
] as const;

export interface SidePanelProps {
  host: AgentHost | undefined;
  page: PageState;
  root: string;
  filesRevision: number;
  session: InteractiveSession | undefined;
  tab: PanelTab;
  onTab: (tab: PanelTab) => void;
  path: string | undefined;
  onPath: (path: string | undefined) => void;
}

/** The session's files and its log. */
export function SidePanel(props: SidePanelProps) {
  const { host, page, root, filesRevision, session, tab, onTab, path, onPath } = props;
  return (
    <aside data-part="side-panel" data-region aria-label="Workspace" tabIndex={-1}>
      <Splitter />
      <Tabs label="Workspace" tabs={tabs} selected={tab} onSelect={onTab}>
        {tab === "files" && host && (
          <WorkspaceFrame host={host} page={page}>
            <FilesPanel
              fs={host.fs}
              root={root}
              revision={filesRevision}
              session={session}
              path={path}
              onPath={onPath}
            />
          </WorkspaceFrame>
        )}
        {tab === "log" && (
          <Suspense>
            <EventLog session={session} />
          </Suspense>
        )}
      </Tabs>
    </aside>
  );
}

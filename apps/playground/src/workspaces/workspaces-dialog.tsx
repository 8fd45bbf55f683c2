import { useReadable } from "@robota/react";
import type { WorkspaceInfo, Workspaces } from "@robota/adapters-web";
import { Plus, RotateCcw } from "lucide-react";
import { useEffect, useState } from "react";
import type { AgentHost } from "../agent-host.ts";
import { leavePage } from "../editor/leave-page.ts";
import { DEFAULT_WORKSPACE, workspaceAddress, workspaceId } from "../state/current-workspace.ts";
import { useHost, usePage } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { startDropped } from "./bring-in.ts";
import { BringInSection } from "./bring-in-section.tsx";
import { GitSection } from "./git-section.tsx";
import { StorageSection } from "./storage-section.tsx";
import { WorkspaceRow } from "./workspace-row.tsx";
import "./workspaces.css";

export interface WorkspacesDialogProps {
  onClose: () => void;
}

/** The workspaces of this browser, their files in and out, and the room they take. */
export function WorkspacesDialog({ onClose }: WorkspacesDialogProps) {
  const host = useHost();
  return host ? <WorkspacesOf host={host} onClose={onClose} /> : null;
}

function WorkspacesOf({ host, onClose }: WorkspacesDialogProps & { host: AgentHost }) {
  const page = usePage();
  const filesRevision = useReadable(page.filesRevision);
  // Opening another workspace would interrupt sessions.
  const isWorking = useReadable(page.activity).size > 0;
  const [workspaces, setWorkspaces] = useState<Workspaces>();
  const [problem, setProblem] = useState("");

  function report(error: unknown) {
    const text = error instanceof Error ? error.message : String(error);
    const hint = error instanceof Error && "hint" in error ? ` ${String(error.hint)}` : "";
    setProblem(`${text}.${hint}`);
    announce(text);
  }

  useEffect(() => void host.workspaces().then(setWorkspaces, report), [host]);

  const all = useList(workspaces, report);

  async function leaveFor(id: string) {
    onClose();
    await leavePage(page, () => location.assign(workspaceAddress(id)));
  }

  const onOpen = (id: string) =>
    void leaveFor(id).catch((error: unknown) => page.reportProblem(error));

  function change(work: (workspaces: Workspaces) => Promise<unknown>) {
    setProblem("");
    // The list of workspaces may still be loading.
    host.workspaces().then(work).catch(report);
  }

  return (
    <Dialog title="Workspaces" onClose={onClose}>
      <div
        data-part="workspaces"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          startDropped(host, event.dataTransfer);
        }}
      >
        {problem && <Problem text={problem} />}
        <section data-part="workspace-section" aria-label="In this browser">
          <h3>In this browser</h3>
          <ul>
            {all.map((workspace) => (
              <li key={workspace.id}>
                <WorkspaceRow
                  workspace={workspace}
                  isOpen={workspace.id === workspaceId}
                  onOpen={() => (workspace.id === workspaceId ? onClose() : onOpen(workspace.id))}
                  onRename={(next) => change((each) => each.rename(workspace.id, next))}
                  onDelete={() =>
                    change(async (each) => {
                      await each.delete(workspace.id);
                      announce(`Deleted ${workspace.name}`);
                    })
                  }
                />
              </li>
            ))}
          </ul>
          {isWorking && (
            <p data-part="workspace-help">
              A session is working here. It is interrupted when you open another workspace.
            </p>
          )}
          <NewWorkspace
            onCreate={(name) => change(createIn(name, isWorking ? undefined : onOpen))}
          />
        </section>
        {workspaceId === DEFAULT_WORKSPACE && <SampleSection host={host} onProblem={report} />}
        <BringInSection host={host} onOpen={onOpen} onProblem={report} />
        <StorageSection revision={`${filesRevision} ${all.length}`} onProblem={report} />
        <GitSection />
      </div>
    </Dialog>
  );
}

/** Makes a workspace and goes there, except where that would interrupt a session unasked. */
function createIn(name: string, onOpen: ((id: string) => void) | undefined) {
  return async (workspaces: Workspaces): Promise<void> => {
    const { id } = await workspaces.create(name);
    onOpen?.(id);
  };
}

function Problem({ text }: { text: string }) {
  return (
    <p data-part="workspace-problem" role="alert">
      {text}
    </p>
  );
}

interface SampleSectionProps {
  host: AgentHost;
  onProblem: (error: unknown) => void;
}

function SampleSection({ host, onProblem }: SampleSectionProps) {
  async function reset() {
    await (await import("../chat/start/sample.ts")).resetSample(host.fs);
    announce("The sample files are reset");
  }
  return (
    <section data-part="workspace-section" aria-label="Sample project">
      <h3>Sample project</h3>
      <p data-part="workspace-help">
        The guided cards work on it. A reset gives its files their first content back; other files
        stay.
      </p>
      <div data-part="workspace-actions">
        <Button icon={<RotateCcw size={15} />} onClick={() => void reset().catch(onProblem)}>
          Reset the sample files
        </Button>
      </div>
    </section>
  );
}

/** The workspaces, as they change. */
function useList(
  workspaces: Workspaces | undefined,
  report: (error: unknown) => void,
): readonly WorkspaceInfo[] {
  const [all, setAll] = useState<readonly WorkspaceInfo[]>([]);
  useEffect(() => {
    let current = true;
    const read = async () => {
      const list = await workspaces?.list();
      if (current && list) setAll(list);
    };
    void read().catch(report);
    const stop = workspaces?.watch(() => void read().catch(report));
    return () => {
      current = false;
      stop?.();
    };
    // The problem callback does not matter.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [workspaces]);
  return all;
}

interface NewWorkspaceProps {
  onCreate: (name: string) => void;
}

function NewWorkspace({ onCreate }: NewWorkspaceProps) {
  const [name, setName] = useState("");
  return (
    <form
      data-part="workspace-new"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === "") return;
        onCreate(name.trim());
        setName("");
      }}
    >
      <input
        aria-label="Name of a new workspace"
        placeholder="Name"
        value={name}
        maxLength={120}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" icon={<Plus size={15} />} disabled={name.trim() === ""}>
        New workspace
      </Button>
    </form>
  );
}

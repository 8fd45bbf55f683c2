import { pickArchive, pickFolder, saveStream } from "@robota/adapters-web";
import { type ImportSource, exportZip } from "@robota/runtime/virtual";
import { FileArchive, FolderInput, FolderOutput } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { WORKSPACE_ROOT } from "../constants.ts";
import type { AgentHost } from "../agent-host.ts";
import { useReadable } from "@robota/react";
import { workspaceName } from "../state/preferences.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { formatBytes } from "../ui/format.ts";
import { bringIn, type BringIn, start } from "./bring-in.ts";

export interface BringInSectionProps {
  host: AgentHost;
  onOpen: (id: string) => void;
  onProblem: (error: unknown) => void;
}

const leavesOutModules = (path: string): boolean => /(?:^|\/)node_modules$/.test(path);

/** Files in from the person's machine, and out to it. */
export function BringInSection({ host, onOpen, onProblem }: BringInSectionProps) {
  const [asNew, setAsNew] = useState(false);
  const [name, setName] = useState("");
  const [withoutModules, setWithoutModules] = useState(true);
  const [saving, setSaving] = useState(false);
  const state = useReadable(bringIn);
  const isRunning = state.kind === "running";

  function take(source: Promise<ImportSource | undefined>) {
    const as = asNew ? name.trim() || "Imported" : undefined;
    void start({ host, source, as, withoutModules });
  }

  useEffect(() => {
    if (state.kind === "done" || state.kind === "failed") announce(state.text);
  }, [state]);

  async function save() {
    setSaving(true);
    const leavesOut = withoutModules ? leavesOutModules : () => false;
    const file = `${workspaceName.get().replaceAll(/[^\w.-]+/g, "-")}.zip`;
    try {
      if (await saveStream(exportZip(host.fs, WORKSPACE_ROOT, { leavesOut }), file)) {
        announce(`${file} was saved`);
      }
    } catch (error) {
      onProblem(error);
    } finally {
      setSaving(false);
    }
  }

  return (
    <section data-part="workspace-section" aria-label="Import and export">
      <h3>Import and export</h3>
      <p data-part="workspace-help">
        Drop a folder, files or a .zip, .tar or .tar.gz here or on the files, or choose one. Imports
        are all-or-nothing.
      </p>
      <TargetFields asNew={asNew} onAsNew={setAsNew} name={name} onName={setName} />
      <label data-part="workspace-check">
        <input
          type="checkbox"
          checked={withoutModules}
          onChange={(event) => setWithoutModules(event.target.checked)}
        />
        Leave out node_modules
      </label>
      <div data-part="workspace-actions">
        <Button
          icon={<FolderInput size={15} />}
          disabled={isRunning}
          onClick={() => take(pickFolder())}
        >
          Folder…
        </Button>
        <Button
          icon={<FileArchive size={15} />}
          disabled={isRunning}
          onClick={() => take(pickArchive())}
        >
          Zip or tar…
        </Button>
        <Button icon={<FolderOutput size={15} />} disabled={saving} onClick={() => void save()}>
          Save as zip
        </Button>
      </div>
      <Outcome state={state} onOpen={onOpen} />
    </section>
  );
}

interface TargetFieldsProps {
  asNew: boolean;
  onAsNew: (asNew: boolean) => void;
  name: string;
  onName: (name: string) => void;
}

function TargetFields({ asNew, onAsNew, name, onName }: TargetFieldsProps) {
  const group = useId();
  return (
    <fieldset data-part="workspace-target">
      <legend>Import into</legend>
      <label>
        <input type="radio" name={group} checked={!asNew} onChange={() => onAsNew(false)} />
        This workspace
      </label>
      <label>
        <input type="radio" name={group} checked={asNew} onChange={() => onAsNew(true)} />A new
        workspace
      </label>
      {asNew && (
        <input
          aria-label="Name of the new workspace"
          placeholder="Imported"
          value={name}
          maxLength={120}
          onChange={(event) => onName(event.target.value)}
        />
      )}
    </fieldset>
  );
}

interface OutcomeProps {
  state: BringIn;
  onOpen: (id: string) => void;
}

function Outcome({ state, onOpen }: OutcomeProps) {
  switch (state.kind) {
    case "idle":
      return null;
    case "running":
      return (
        <div data-part="workspace-outcome">
          <progress aria-label="Importing files" />
          <span>
            {state.entries} entries, {formatBytes(state.bytes)}
          </span>
          <Button look="bare" onClick={state.stop}>
            Stop
          </Button>
        </div>
      );
    case "failed":
      return (
        <div data-part="workspace-outcome" data-failed>
          <p>
            {state.text} {state.hint}
          </p>
        </div>
      );
    case "done":
      return (
        <div data-part="workspace-outcome">
          <p>{state.text}</p>
          <Skipped skipped={state.skipped} />
          {state.made && (
            <Button look="primary" onClick={() => state.made && onOpen(state.made.id)}>
              Open it
            </Button>
          )}
        </div>
      );
  }
}

/** Maximum number of rendered items: ten thousand may be skipped. */
const MAX_SHOWN = 100;

function Skipped({ skipped }: { skipped: readonly { path: string; reason: string }[] }) {
  if (skipped.length === 0) return null;
  return (
    <details>
      <summary>{skipped.length} left out</summary>
      <ul>
        {skipped.slice(0, MAX_SHOWN).map(({ path, reason }) => (
          <li key={path}>
            <code>{path}</code> {reason}
          </li>
        ))}
        {skipped.length > MAX_SHOWN && <li>… and {skipped.length - MAX_SHOWN} more</li>}
      </ul>
    </details>
  );
}

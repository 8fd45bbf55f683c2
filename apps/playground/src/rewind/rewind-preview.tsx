import type {
  Checkpoint,
  ClientSession,
  RewindPreview,
  RewindScope,
} from "@robota/runtime/sessions";
import { ArrowLeft, History } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { DiffView } from "../diff/diff-view.tsx";
import { problemText } from "../inspector/use-busy.ts";
import { useCurrentSession } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { shortPath } from "../ui/format.ts";

const scopes: readonly { id: RewindScope; label: string }[] = [
  { id: "both", label: "Conversation and files" },
  { id: "conversation", label: "Conversation only" },
  { id: "files", label: "Files only" },
];

export interface RewindPreviewViewProps {
  session: ClientSession;
  checkpoint: Checkpoint;
  isBusy: boolean;
  onBack: () => void;
  onRewind: (what: RewindScope) => void;
}

/** The changes that a rewind to a checkpoint would make, and the choice of how many of them to make. */
export function RewindPreviewView(props: RewindPreviewViewProps) {
  const { session, checkpoint, isBusy, onBack, onRewind } = props;
  const [what, setWhat] = useState<RewindScope>("both");
  const [preview, setPreview] = useState<RewindPreview>();
  const [problem, setProblem] = useState("");
  const group = useId();

  const { local } = useCurrentSession();

  useEffect(() => {
    let isCurrent = true;
    local?.previewRewind(checkpoint.id).then(
      (found) => isCurrent && setPreview(found),
      (error: unknown) => isCurrent && setProblem(problemText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [local, checkpoint]);

  return (
    <>
      <div data-part="rewind-head">
        <Button look="bare" icon={<ArrowLeft size={14} />} onClick={onBack}>
          All turns
        </Button>
        <p>
          To before{" "}
          <q>{checkpoint.kind === "rewind" ? "a rewind" : checkpoint.input || "attachments"}</q>
        </p>
      </div>
      <fieldset data-part="rewind-scope">
        <legend data-part="visually-hidden">What to rewind</legend>
        {scopes.map(({ id, label }) => (
          <label key={id}>
            <input type="radio" name={group} checked={what === id} onChange={() => setWhat(id)} />
            {label}
          </label>
        ))}
      </fieldset>
      <div data-part="rewind-changes" role="group" aria-label="What changes" tabIndex={0}>
        {what !== "files" && <ConversationChange session={session} checkpoint={checkpoint} />}
        {what !== "conversation" && preview && <FileChanges preview={preview} />}
        {what !== "conversation" && !local && (
          <p>Files on the server go back too. Which ones, it says afterwards.</p>
        )}
        {problem && (
          <p data-part="inspector-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
      <footer data-part="inspector-actions">
        <Button
          look="strong"
          icon={<History size={14} />}
          disabled={isBusy || (local && !preview)}
          onClick={() => onRewind(what)}
        >
          {isBusy ? "Rewinding…" : "Rewind"}
        </Button>
        <span data-part="inspector-note">You can undo this.</span>
      </footer>
    </>
  );
}

function ConversationChange({
  session,
  checkpoint,
}: Pick<RewindPreviewViewProps, "session" | "checkpoint">) {
  const later = session
    .checkpoints()
    .filter(({ kind, seq }) => kind === "turn" && seq >= checkpoint.seq).length;
  if (checkpoint.kind === "rewind") return <p>The conversation is as it was before the rewind.</p>;
  return <p>{later === 1 ? "1 turn leaves" : `${later} turns leave`} the conversation.</p>;
}

function FileChanges({ preview: { changes, binary, notRestored } }: { preview: RewindPreview }) {
  if (changes.length + binary.length + notRestored.length === 0) return <p>No file changes.</p>;
  return (
    <>
      {changes.map((change) => (
        <DiffView key={change.path} change={change} />
      ))}
      {binary.map((path) => (
        <p key={path}>
          <code>{shortPath(path)}</code> gets its former content, which is no text.
        </p>
      ))}
      {notRestored.map(({ path, reason }) => (
        <p key={path} data-state="kept">
          <code>{shortPath(path)}</code> stays as it is. {reason}
        </p>
      ))}
    </>
  );
}

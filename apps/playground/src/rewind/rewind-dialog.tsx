import type {
  Checkpoint,
  ClientSession,
  RewindResult,
  RewindScope,
} from "@robota/runtime/sessions";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { useEventFold } from "../inspector/use-event-fold.ts";
import { useBusy } from "../inspector/use-busy.ts";
import { useCurrentSession } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatWhen, shortPath } from "../ui/format.ts";
import { RewindPreviewView } from "./rewind-preview.tsx";
import { turnFiles } from "./turn-files.ts";
import "./rewind.css";

/** Goes back to an earlier turn: shows what would change, does it, and undoes it. */
export function RewindDialog({ onClose }: { onClose: () => void }) {
  const { own } = useCurrentSession();
  return (
    <Dialog title="Rewind" onClose={onClose}>
      <div data-part="rewind">
        {own ? <Rewind session={own} /> : <p>The session is not open yet.</p>}
      </div>
    </Dialog>
  );
}

function Rewind({ session }: { session: ClientSession }) {
  const [chosen, setChosen] = useState<Checkpoint>();
  const [result, setResult] = useState<RewindResult>();
  const busy = useBusy();

  async function rewind(id: string, what: RewindScope) {
    const done = await session.rewind(id, what);
    setChosen(undefined);
    setResult(done);
    announce("Rewound");
  }

  return (
    <>
      {busy.problem && (
        <p data-part="inspector-problem" role="alert">
          {busy.problem}
        </p>
      )}
      {result && (
        <Done
          result={result}
          isBusy={busy.isBusy}
          onUndo={() => busy.run(() => rewind(result.undoId, result.what))}
        />
      )}
      {chosen ? (
        <RewindPreviewView
          session={session}
          checkpoint={chosen}
          isBusy={busy.isBusy}
          onBack={() => setChosen(undefined)}
          onRewind={(what) => busy.run(() => rewind(chosen.id, what))}
        />
      ) : (
        <Checkpoints session={session} onChoose={setChosen} />
      )}
    </>
  );
}

interface DoneProps {
  result: RewindResult;
  isBusy: boolean;
  onUndo: () => void;
}

const whats: Readonly<Record<RewindScope, string>> = {
  both: "Conversation and files rewound.",
  conversation: "Conversation rewound.",
  files: "Files rewound.",
};

function Done({ result: { what, files }, isBusy, onUndo }: DoneProps) {
  const count = files.restored.length + files.removed.length;
  return (
    <div data-part="rewind-done" role="status">
      <p>
        {whats[what]} {count === 1 ? "1 file changed." : count > 0 && `${count} files changed.`}
      </p>
      <Button icon={<Undo2 size={14} />} disabled={isBusy} onClick={onUndo}>
        Undo rewind
      </Button>
      {files.notRestored.map(({ path, reason }) => (
        <p key={path}>
          <code>{shortPath(path)}</code> stays as it is. {reason}
        </p>
      ))}
    </div>
  );
}

interface CheckpointsProps {
  session: ClientSession;
  onChoose: (checkpoint: Checkpoint) => void;
}

/** Paths that are named; of more, only the number. */
const NAMED = 3;

function Checkpoints({ session, onChoose }: CheckpointsProps) {
  const { state: files } = useEventFold(session, turnFiles);
  const checkpoints = session.checkpoints().toReversed();
  if (checkpoints.length === 0)
    return <p data-part="inspector-empty">There is no turn to go back to yet.</p>;
  return (
    <>
      <p data-part="inspector-note">Go back to before a turn. You see what changes first.</p>
      <ol data-part="rewind-turns" aria-label="Turns, newest first">
        {checkpoints.map((checkpoint) => (
          <li key={checkpoint.id}>
            <button type="button" onClick={() => onChoose(checkpoint)}>
              <span data-part="rewind-prompt">
                {checkpoint.kind === "rewind"
                  ? "Before a rewind"
                  : checkpoint.input || "Attachments"}
              </span>
              <span data-part="row-note">
                {filesText([...(files.get(checkpoint.id) ?? [])])} · {formatWhen(checkpoint.time)}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

function filesText(paths: readonly string[]): string {
  if (paths.length === 0) return "no files";
  if (paths.length > NAMED) return `${paths.length} files`;
  return paths.map((path) => shortPath(path)).join(", ");
}

import { sessionStore, type TurnView } from "@robota/react/store";
import { FileDiff, Redo2, Undo2 } from "lucide-react";
import { showPanel } from "../layout/view.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { useChangedFiles } from "./changed-files.ts";
import { changesScope } from "./scope.ts";
import { lastUndo } from "./past-undos.ts";
import { redoChanges, undoChanges } from "./undo.ts";
import "./changes.css";

export interface TurnSummaryProps {
  turn: TurnView;
}

/** The files that a finished turn changed, with buttons to review and undo them. */
export function TurnSummary({ turn }: TurnSummaryProps) {
  const hasCalls = turn.items.some(({ kind }) => kind === "tool");
  if (turn.state === "running" || !hasCalls) return null;
  return <Changed turnId={turn.id} />;
}

function Changed({ turnId }: { turnId: string }) {
  const { own } = useCurrentSession();
  const page = usePage();
  const files = useChangedFiles(turnId);
  if (files.length === 0 || !own) return null;
  const left = files.filter(({ now, notCovered }) => now !== "undone" && !notCovered);
  const redo = left.length === 0 ? lastUndo(own, turnId) : undefined;
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const report = (error: unknown) => {
    page.reportProblem(error);
    page.noteFiles();
  };

  return (
    <div data-part="turn-summary" role="group" aria-label="Changed files">
      <span>{left.length === 0 ? `Changes to ${count} undone` : `${count} changed`}</span>
      <Button
        look="bare"
        icon={<FileDiff size={15} />}
        onClick={() => {
          const { timeline } = sessionStore(own).get();
          const isLast = timeline.findLast(({ kind }) => kind === "turn")?.id === turnId;
          changesScope.set(isLast ? "turn" : "session");
          showPanel("workspace", "changes");
        }}
      >
        Review
      </Button>
      {left.length > 0 && (
        <Button
          look="bare"
          icon={<Undo2 size={15} />}
          onClick={() => void undoChanges(own, left, turnId).catch(report)}
        >
          Undo
        </Button>
      )}
      {redo && (
        <Button
          look="bare"
          icon={<Redo2 size={15} />}
          onClick={() => void redoChanges(own, redo).catch(report)}
        >
          Redo
        </Button>
      )}
    </div>
  );
}

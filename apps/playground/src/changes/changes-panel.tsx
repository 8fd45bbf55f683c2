import { useReadable, useTranscript } from "@robota/react";
import type { ChangedContent, ChangedFile } from "@robota/runtime/sessions";
import { ChevronRight, Redo2, Undo2 } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { DiffView } from "../diff/diff-view.tsx";
import { openPath } from "../layout/view.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { Button } from "../ui/button.tsx";
import { shortPath } from "../ui/format.ts";
import { type Changes, useChangedFiles, useChanges } from "./changed-files.ts";
import { diffOf, type FileDiff } from "./diff-of.ts";
import { placeOnPage } from "./place.ts";
import { lastUndo } from "./past-undos.ts";
import { lastRestoring, redoChanges, type Restoring, undoChanges } from "./undo.ts";
import { changesScope } from "./scope.ts";
import "./changes.css";

/** Files whose lines are counted; more are listed without. */
const COMPARED = 200;
const NONE: readonly ChangedFile[] = [];
const signs = { added: "A", modified: "M", deleted: "D" } as const;

/** The files that the session changed by any means: in the last turn, or since its start. */
export function ChangesPanel() {
  const { session, own } = useCurrentSession();
  const page = usePage();
  const timeline = useTranscript(session);
  const scope = useReadable(changesScope);
  const undone = useLastRestoring();
  const lastTurn = timeline.findLast((entry) => entry.kind === "turn");
  const turnId = scope === "turn" ? lastTurn?.id : undefined;
  const isIdle = lastTurn?.state !== "running";
  const changes = useChanges(turnId);
  const nothing = scope === "turn" && !lastTurn;
  const files = nothing || !changes ? NONE : changes.files;
  const diffs = useDiffs(files, turnId);
  const left = files.filter(({ now, notCovered }) => now !== "undone" && !notCovered);
  const report = (error: unknown) => {
    page.reportProblem(error);
    page.noteFiles();
  };

  function undo(wanted: readonly ChangedFile[]) {
    if (own) undoChanges(own, wanted, turnId).catch(report);
  }

  /** Brings one file's change back, whenever it was undone. */
  function redoOf(path: string) {
    const past = own && lastUndo(own, turnId, path);
    if (!own || !past) return undefined;
    return () => void redoChanges(own, { ...past, paths: [path] }).catch(report);
  }

  return (
    <div data-part="changes">
      <div data-part="changes-bar">
        <ScopeChoice />
        {left.length > 0 && (
          <Button
            look="bare"
            icon={<Undo2 size={15} />}
            disabled={!isIdle}
            title={isIdle ? undefined : "Wait for the end of the turn"}
            onClick={() => undo(left)}
          >
            Undo all
          </Button>
        )}
      </div>
      {undone && undone.session === own && (
        <Undone
          undone={undone}
          canRedo={isIdle}
          onRedo={() => void redoChanges(undone.session, undone).catch(report)}
        />
      )}
      {files.length === 0 ? (
        <p data-part="file-note">
          {session && !own
            ? "Changes are listed once the session is open here."
            : nothing
              ? "Nothing was changed yet."
              : noteOf(changes, scope)}
        </p>
      ) : (
        <ul aria-label="Changed files">
          {files.map((file) => (
            <li key={file.path}>
              <FileItem
                file={file}
                diff={diffs.get(file.path)}
                canUndo={isIdle}
                onUndo={() => undo([file])}
                onRedo={redoOf(file.path)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface UndoneProps {
  undone: Restoring;
  canRedo: boolean;
  onRedo: () => void;
}

function Undone({ undone, canRedo, onRedo }: UndoneProps) {
  return (
    <p data-part="changes-undone">
      <span>{undone.text}</span>
      {undone.paths.length > 0 && (
        <Button look="bare" icon={<Redo2 size={15} />} disabled={!canRedo} onClick={onRedo}>
          Redo
        </Button>
      )}
    </p>
  );
}

/** The last undoing, until one of its files is changed again: to redo it would take that away. */
function useLastRestoring(): Restoring | undefined {
  const last = useReadable(lastRestoring);
  const files = useChangedFiles(last?.turnId);
  const changed = files.filter(({ now }) => now !== "undone");
  return changed.some(({ path }) => last?.paths.includes(path)) ? undefined : last;
}

function noteOf(changes: Changes | undefined, scope: "turn" | "session"): string {
  if (!changes) return "Reading the changes…";
  if (changes.failure !== undefined) return `The changes can’t be read: ${changes.failure}`;
  return scope === "turn" ? "This turn changed no files." : "No files were changed.";
}

function ScopeChoice() {
  const scope = useReadable(changesScope);
  return (
    <fieldset>
      <legend data-part="visually-hidden">Changes of</legend>
      {(["turn", "session"] as const).map((id) => (
        <label key={id}>
          <input
            type="radio"
            name="changes-scope"
            checked={scope === id}
            onChange={() => changesScope.set(id)}
          />
          <span>{id === "turn" ? "This turn" : "Session"}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface FileItemProps {
  file: ChangedFile;
  diff: FileDiff | undefined;
  canUndo: boolean;
  onUndo: () => void;
  /** Missing where it was not undone here. */
  onRedo: (() => void) | undefined;
}

function FileItem({ file, diff, canUndo, onUndo, onRedo }: FileItemProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { own } = useCurrentSession();
  const { path, kind, now, notCovered } = file;
  const place = own ? placeOnPage(own, path) : path;
  const name = shortPath(place);
  return (
    <div data-part="changed-file" data-now={now}>
      <div data-part="changed-row">
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <ChevronRight size={14} aria-hidden="true" />
          <span data-part="change-sign" data-kind={kind} aria-hidden="true">
            {signs[kind]}
          </span>
          <span data-part="changed-name">{name}</span>
          <span data-part="visually-hidden">{kind}</span>
          {diff?.kind === "text" && (
            <span data-part="changed-counts" aria-hidden="true">
              <span data-kind="added">+{diff.added}</span>
              <span data-kind="removed">−{diff.removed}</span>
            </span>
          )}
        </button>
        {now === "undone" ? (
          <>
            <span data-part="changed-state">Undone</span>
            {onRedo && (
              <Button
                look="bare"
                icon={<Redo2 size={14} />}
                aria-label={`Redo the changes to ${name}`}
                disabled={!canUndo}
                onClick={onRedo}
              >
                Redo
              </Button>
            )}
          </>
        ) : (
          <Button
            look="bare"
            icon={<Undo2 size={14} />}
            aria-label={`Undo the changes to ${name}`}
            title={
              notCovered
                ? "Its earlier version was not kept"
                : now === "changed-again"
                  ? "It was changed again since: that is undone as well"
                  : undefined
            }
            disabled={!canUndo || notCovered !== undefined}
            onClick={onUndo}
          >
            Undo
          </Button>
        )}
      </div>
      {isOpen && (
        <div data-part="changed-detail">
          {diff?.kind === "text" && <DiffView change={diff.change} />}
          {diff?.kind === "note" && <p data-part="file-note">{diff.note}</p>}
          {kind !== "deleted" && (
            <Button look="bare" onClick={() => openPath(place)}>
              Open {name}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** The differences of the first files, by path. */
function useDiffs(
  files: readonly ChangedFile[],
  turnId: string | undefined,
): ReadonlyMap<string, FileDiff> {
  const { own } = useCurrentSession();
  const [read, setRead] = useState<{
    turnId: string | undefined;
    contents: readonly ChangedContent[];
  }>();

  useEffect(() => {
    let current = true;
    const paths = files.slice(0, COMPARED).map(({ path }) => path);
    if (paths.length === 0) return undefined;
    own?.changes.changedContents(paths, turnId).then(
      (contents) => current && setRead({ turnId, contents }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [own, files, turnId]);

  const contents = read?.turnId === turnId ? read?.contents : undefined;
  return useMemo(
    () => new Map((contents ?? []).map((each) => [each.path, diffOf(each)])),
    [contents],
  );
}

import type { FileSystem } from "@robota/runtime";
import { useReadable } from "@robota/react";
import { Save, Undo2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { DiffView } from "../diff/diff-view.tsx";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { shortPath } from "../ui/format.ts";
import { decode } from "../files/file-content.ts";
import { createEditor, type Editor } from "./create-editor.ts";
import { standingOf, type UnsavedTexts } from "./unsaved.ts";
import "./editor.css";

export interface FileEditorProps {
  /** Where it is saved: the session's files, so that the change can be seen and undone. */
  fs: FileSystem;
  path: string;
  /** The unsaved texts of these files. */
  unsaved: UnsavedTexts;
  /** The file's present text; `undefined` when it is gone. */
  disk: string | undefined;
  onDone: () => void;
}

/** Edits a file. When somebody else changes it meanwhile, the person chooses between both texts. */
export function FileEditor({ fs, path, unsaved, disk, onDone }: FileEditorProps) {
  const draft = useReadable(unsaved.byPath).get(path);
  const standing = standingOf(draft, disk);
  const { problem, save, keepMine } = useSaving(fs, path, unsaved);
  useEffect(() => unsaved.noteDisk(path, disk), [unsaved, path, disk]);
  return (
    <div data-part="file-editor">
      <div data-part="editor-bar">
        <span data-part="editor-state" data-state={standing}>
          {standing === "clean" ? "Saved" : standing === "unsaved" ? "Unsaved changes" : "Conflict"}
        </span>
        {standing === "unsaved" && (
          <Button look="bare" icon={<Undo2 size={14} />} onClick={() => unsaved.drop(path)}>
            Discard
          </Button>
        )}
        {standing === "unsaved" && (
          <Button look="primary" icon={<Save size={14} />} onClick={save}>
            Save
          </Button>
        )}
        <Button look="bare" onClick={onDone}>
          Done
        </Button>
      </div>
      {problem && (
        <p data-part="editor-problem" role="alert">
          Could not save: {problem}
        </p>
      )}
      {standing === "conflict" && draft && (
        <Conflict
          path={path}
          mine={draft.text}
          theirs={disk}
          onKeepMine={keepMine}
          onDropMine={() => unsaved.drop(path)}
        />
      )}
      <CodeArea
        text={draft?.text ?? disk ?? ""}
        path={path}
        onChange={(text) => {
          const former = unsaved.byPath.get().get(path);
          unsaved.keep(path, { base: disk ?? "", ...former, text });
        }}
        onSave={save}
      />
    </div>
  );
}

/** Saving what was typed, and the reason when that failed. */
function useSaving(fs: FileSystem, path: string, unsaved: UnsavedTexts) {
  const [problem, setProblem] = useState("");

  function write(isForced: boolean): void {
    const mine = unsaved.byPath.get().get(path);
    if (!mine) return;
    const work = async () => {
      // The page's knowledge may be a moment old: the file itself decides.
      const former = await readText(fs, path);
      if (!isForced && former !== mine.base) return;
      await fs.writeFile(path, mine.text);
      unsaved.noteSaved(path, mine.text, former);
      setProblem("");
      announce(`Saved ${shortPath(path)}`);
    };
    work().catch((error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    );
  }

  return { problem, save: () => write(false), keepMine: () => write(true) };
}

interface ConflictProps {
  path: string;
  mine: string;
  /** `undefined` when the file was deleted. */
  theirs: string | undefined;
  onKeepMine: () => void;
  onDropMine: () => void;
}

function Conflict({ path, mine, theirs, onKeepMine, onDropMine }: ConflictProps) {
  const [isComparing, setIsComparing] = useState(false);
  const isGone = theirs === undefined;
  return (
    <div data-part="editor-conflict" role="alert">
      <p>{isGone ? "The file was deleted" : "The file was changed"} while you were editing.</p>
      <div>
        <Button onClick={onKeepMine}>Keep mine</Button>
        <Button onClick={onDropMine}>{isGone ? "Discard mine" : "Use theirs"}</Button>
        <Button
          look="bare"
          aria-expanded={isComparing}
          onClick={() => setIsComparing(!isComparing)}
        >
          Compare
        </Button>
      </div>
      {isComparing && <DiffView change={{ path, before: theirs ?? null, after: mine }} />}
    </div>
  );
}

interface CodeAreaProps {
  text: string;
  path: string;
  onChange: (text: string) => void;
  onSave: () => void;
}

/** The editor itself, which is no part of React's tree. */
function CodeArea({ text, path, onChange, onSave }: CodeAreaProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const handlers = useRef({ onChange, onSave });
  const first = useRef(text);
  useEffect(() => {
    handlers.current = { onChange, onSave };
  });

  useEffect(() => {
    if (!place.current) return undefined;
    const made = createEditor(place.current, {
      text: first.current,
      label: `Text of ${shortPath(path)}`,
      name: path,
      onChange: (next) => handlers.current.onChange(next),
      onSave: () => handlers.current.onSave(),
    });
    editor.current = made;
    made.focus();
    return () => made.destroy();
  }, [path]);

  useEffect(() => editor.current?.setText(text), [text]);

  return <div ref={place} data-part="code-area" />;
}

async function readText(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    return decode(await fs.readFile(path));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

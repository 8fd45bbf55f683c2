import type { FileSystem } from "@robota/runtime";
import { Download, Pencil, X } from "lucide-react";
import { useEffect, useMemo, useState, useRef } from "react";
import { diffOf } from "../changes/diff-of.ts";
import { placeInSession } from "../changes/place.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatBytes, shortPath } from "../ui/format.ts";
import { Tabs } from "../ui/tabs.tsx";
import { useColors } from "../highlight/use-colors.ts";
import { FileEditor, PreviewView } from "../lazy.ts";
import { isUnsaved, type UnsavedTexts } from "../editor/unsaved.ts";
import { announce } from "../ui/announcer.tsx";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import { useReadable } from "@robota/react";
import { type FileContent, readContent } from "./file-content.ts";
import "./file-view.css";

export interface FileViewProps {
  fs: FileSystem;
  path: string;
  revision: number;
  /** The session's files, where the person's changes go. */
  own: FileSystem;
  /** The unsaved texts of these files. */
  unsaved: UnsavedTexts;
  /** True when the session changed it. */
  isChanged: boolean;
  onClose: () => void;
}

type View = "content" | "preview" | "changes";

const viewLabels = { content: "Content", preview: "Preview", changes: "Changes" } as const;

export function FileView(props: FileViewProps) {
  const { fs, path, revision, own, unsaved, isChanged, onClose } = props;
  const content = useContent(fs, path, revision);
  const page = usePage();
  const [view, setView] = useState<View>();
  const text = content?.kind === "text" || content?.kind === "large" ? content.text : undefined;
  const original = useOriginal(path, isChanged ? revision : undefined);
  const draft = useReadable(unsaved.byPath).get(path);
  const [isEditing, setIsEditing] = useState(isUnsaved(draft));
  const canEdit = content?.kind === "text" && content.isExact;
  const hasChanges = original !== undefined && (text !== undefined || content?.kind === "missing");
  const canPreview = content?.kind === "text" && /\.html?$/i.test(path);
  const views: View[] = ["content"];
  if (canPreview) views.push("preview");
  if (hasChanges) views.push("changes");
  // Only its change is left of a deleted file.
  const first = content?.kind === "missing" && hasChanges ? "changes" : "content";
  const selected = view && views.includes(view) ? view : first;
  const change = useMemo(
    // Without its byte order mark, as the former text is.
    () => ({ path, before: original ?? null, after: text?.replace(/^\uFEFF/, "") ?? null }),
    [path, original, text],
  );

  const save = () =>
    void import("./download.ts")
      .then(({ download }) => download(fs, { path, isDirectory: false }))
      .then(announce, (error: unknown) => page.reportProblem(error));

  return (
    <section data-part="file-view" aria-label={shortPath(path)}>
      <header>
        <h2 title={path}>{shortPath(path)}</h2>
        {content && "size" in content && <span>{formatBytes(content.size)}</span>}
        {canEdit && !isEditing && (
          <Button look="bare" icon={<Pencil size={14} />} onClick={() => setIsEditing(true)}>
            Edit
          </Button>
        )}
        {content?.kind === "text" && <CopyButton text={content.text} what="file" />}
        <IconButton data-size="small" label="Close file" icon={<X size={15} />} onClick={onClose} />
      </header>
      {isEditing && (canEdit || content?.kind === "missing") ? (
        <RegionBoundary name="The editor">
          <FileEditor
            fs={own}
            path={path}
            unsaved={unsaved}
            disk={canEdit ? text : undefined}
            onDone={() => setIsEditing(false)}
          />
        </RegionBoundary>
      ) : views.length > 1 ? (
        <Tabs<View>
          label="View of the file"
          tabs={views.map((id) => ({ id, label: viewLabels[id] }))}
          selected={selected}
          onSelect={setView}
        >
          {selected === "changes" && (
            <div data-part="file-changes">
              <DiffView change={change} />
            </div>
          )}
          {selected === "preview" && (
            <RegionBoundary name="The preview">
              <PreviewView fs={fs} path={path} text={text ?? ""} revision={revision} />
            </RegionBoundary>
          )}
          {selected === "content" && <Content path={path} content={content} onDownload={save} />}
        </Tabs>
      ) : (
        <Content path={path} content={content} onDownload={save} />
      )}
    </section>
  );
}

interface ContentProps {
  path: string;
  content: FileContent | undefined;
  onDownload: () => void;
}

function Content({ path, content, onDownload }: ContentProps) {
  switch (content?.kind) {
    case undefined:
      return null;
    case "text":
    case "large":
      return (
        <>
          {content.kind === "large" && (
            <p data-part="file-note">
              Only the first {formatBytes(content.text.length)} are shown.
            </p>
          )}
          {content.kind === "text" && !content.isExact && (
            <p data-part="file-note">
              This text is not UTF-8: some of its characters can’t be shown, and it can’t be edited
              here.
            </p>
          )}
          <Lines text={content.text} language={path.slice(path.lastIndexOf(".") + 1)} />
        </>
      );
    case "image":
      return <Picture key={content.url} url={content.url} onDownload={onDownload} />;
    case "binary":
    case "huge":
      return (
        <NotShown
          words={
            content.kind === "binary"
              ? `${formatBytes(content.size)} binary file`
              : `${formatBytes(content.size)} file, too large to show`
          }
          onDownload={onDownload}
        />
      );
    case "missing":
      return <p data-part="file-note">The file no longer exists.</p>;
    case "failed":
      return <p data-part="file-note">It can't be read: {content.message}</p>;
  }
}

function Picture({ url, onDownload }: { url: string; onDownload: () => void }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken)
    return <NotShown words="The browser can’t show this picture" onDownload={onDownload} />;
  return (
    <div data-part="file-image">
      <img src={url} alt="The file's picture" onError={() => setBroken(true)} />
    </div>
  );
}

/** In place of a file that a page can't show. */
function NotShown({ words, onDownload }: { words: string; onDownload: () => void }) {
  return (
    <div data-part="file-note">
      <p>{words}</p>
      <Button icon={<Download size={15} />} onClick={onDownload}>
        Download
      </Button>
    </div>
  );
}

const FIRST_LINES = 2000;

/** Numbers are in a separate column, so that selecting and copying takes the text only. */
function Lines({ text, language }: { text: string; language: string }) {
  const [showAll, setShowAll] = useState(false);
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  const shown = showAll ? lines : lines.slice(0, FIRST_LINES);
  const drawn = shown.join("\n");
  const code = useRef<HTMLPreElement>(null);
  useColors(code, drawn, language);
  if (text === "") return <p data-part="file-note">The file is empty.</p>;
  return (
    <div data-part="file-lines" role="group" aria-label="Text of the file" tabIndex={0}>
      <pre data-part="file-numbers" aria-hidden="true">
        {shown.map((_, index) => index + 1).join("\n")}
      </pre>
      <pre ref={code} data-part="file-text">
        {drawn}
      </pre>
      {shown.length < lines.length && (
        <Button look="bare" onClick={() => setShowAll(true)}>
          Show all {lines.length} lines
        </Button>
      )}
    </div>
  );
}

/** The last content stays until the next one is read, so that a change does not flicker. */
function useContent(fs: FileSystem, path: string, revision: number): FileContent | undefined {
  const [read, setRead] = useState<{ path: string; content: FileContent }>();

  useEffect(() => {
    let current = true;
    void readContent(fs, path).then((content) => {
      if (current) setRead({ path, content });
      else release(content);
    });
    return () => {
      current = false;
    };
  }, [fs, path, revision]);

  useEffect(() => () => release(read?.content), [read]);

  return read?.path === path ? read.content : undefined;
}

/** The file's text before the session changed it; `undefined` when it did not, or when that is not known or no text. */
function useOriginal(path: string, revision: number | undefined): string | null | undefined {
  const { own } = useCurrentSession();
  const [read, setRead] = useState<{ path: string; text: string | null | undefined }>();

  useEffect(() => {
    let current = true;
    if (revision === undefined || !own) return undefined;
    own.changes.changedContents([placeInSession(own, path)]).then(
      ([content]) => {
        if (!current || !content) return;
        const diff = diffOf(content);
        setRead({ path, text: diff.kind === "text" ? diff.change.before : undefined });
      },
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [own, path, revision]);

  return revision !== undefined && read?.path === path ? read.text : undefined;
}

function release(content: FileContent | undefined): void {
  if (content?.kind === "image") URL.revokeObjectURL(content.url);
}

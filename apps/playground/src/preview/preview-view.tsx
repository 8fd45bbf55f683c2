import type { FileSystem } from "@robota/runtime";
import { useEffect, useRef, useState } from "react";
import { WORKSPACE_ROOT } from "../constants.ts";
import { shortPath } from "../ui/format.ts";
import { type BuiltPage, buildPage } from "./build-page.ts";
import "./preview.css";

export interface PreviewViewProps {
  fs: FileSystem;
  path: string;
  /** The page's text. */
  text: string;
  /** Changes with the workspace: the page may use other files. */
  revision: number;
}

/** References that are named below the page. */
const NAMED = 3;

/** A page of the workspace, as it runs: in a sandbox without network. `public/preview.html` says how. */
export function PreviewView({ fs, path, text, revision }: PreviewViewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setIsReady] = useState(false);
  const page = usePage(fs, path, text, revision);
  const name = shortPath(path);
  const html = page?.html;
  const title = page?.title || name;

  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (data === "ready" && source === frame.current?.contentWindow) setIsReady(true);
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, []);

  useEffect(() => {
    // The frame has no origin that could be named.
    if (isReady && html !== undefined)
      frame.current?.contentWindow?.postMessage({ title, html }, "*");
  }, [isReady, html, title]);

  return (
    <div data-part="preview">
      <iframe ref={frame} src="preview.html" title={`Preview of ${name}`} />
      <p data-part="preview-note">
        Runs without network.{page && page.missing.length > 0 && ` ${notLoaded(page.missing)}`}
      </p>
    </div>
  );
}

function notLoaded(missing: readonly string[]): string {
  const more = missing.length - NAMED;
  const named = missing.slice(0, NAMED).join(", ");
  return `Not loaded: ${named}${more > 0 ? ` and ${more} more` : ""}.`;
}

function usePage(fs: FileSystem, path: string, text: string, revision: number) {
  const [page, setPage] = useState<BuiltPage>();
  useEffect(() => {
    let current = true;
    void buildPage(fs, path, text, WORKSPACE_ROOT).then((built) => {
      if (current) setPage(built);
    });
    return () => {
      current = false;
    };
  }, [fs, path, text, revision]);
  return page;
}

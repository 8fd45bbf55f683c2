import type { SessionConnection } from "@robota/react/store";
import type { FileSystem } from "@robota/runtime";
import { Cloud, GitFork } from "lucide-react";
import { useMemo } from "react";
import { serverFiles } from "../remote/server-files.ts";
import { serverName } from "../remote/server-name.ts";
import { useCurrentSession, usePage } from "../state/page-context.ts";
import { Files } from "./files-panel.tsx";
import { reporting } from "./reporting.ts";
import "../workspaces/workspace-frame.css";

/** The files of a session that has other ones than the workspace: a copy of its own, or those on its server. */
export function OwnFiles({ session }: { session: SessionConnection }) {
  const { phase, local, remote } = useCurrentSession();
  const page = usePage();
  const server = phase.kind === "remote" ? phase.server : undefined;
  const copy = local?.workspace.fs;

  const fs = useMemo((): FileSystem | undefined => {
    const onChange = () => page.noteFiles();
    if (server && remote) return serverFiles(server, remote.sessionId, onChange);
    return copy && reporting(copy, onChange);
  }, [page, server, remote, copy]);

  if (!fs) return null;
  const Icon = server ? Cloud : GitFork;
  const name = server ? `On ${serverName(server)}` : "This session’s own copy";
  return (
    <div data-part="workspace-frame">
      <div data-part="workspace-bar">
        <Icon size={15} aria-hidden="true" />
        <span title={name}>{name}</span>
      </div>
      <Files id={session.sessionId} fs={fs} own={fs} keepsFolders={!server} />
    </div>
  );
}

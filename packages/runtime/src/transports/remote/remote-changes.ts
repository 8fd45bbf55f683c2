import type { ClientSession } from "../../interactive/client-session.ts";
import type { ChangedContent, ChangedFile, FileToRestore } from "../../session/files/changes.ts";
import type { RewindResult } from "../../session/files/rewind.ts";
import { LONG_AND_ONCE, type RemoteRequests } from "./remote-requests.ts";

type Changes = ClientSession["changes"];

/** The session's start, as the server calls it where a checkpoint is asked for. */
const START = "start";

/** The changes of files of a session on a server. */
export class RemoteChanges implements Changes {
  readonly #requests: RemoteRequests;

  constructor(requests: RemoteRequests) {
    this.#requests = requests;
  }

  async changedFiles(turnId?: string): Promise<ChangedFile[]> {
    const query = turnId === undefined ? "" : `?turn=${encodeURIComponent(turnId)}`;
    return (await this.#requests.get<{ files: ChangedFile[] }>(`changes${query}`)).files;
  }

  /** Without those that the token may not read. */
  async changedContents(paths: readonly string[], turnId?: string): Promise<ChangedContent[]> {
    const found: ChangedContent[] = [];
    for (let rest = paths; rest.length > 0;) {
      const { files, isTruncated } = await this.#requests.post<{
        files: ChangedContent[];
        isTruncated: boolean;
      }>("changes", { paths: rest, turnId });
      // An answer leaves out what was not stored.
      for (const { path, before, after } of files) found.push({ path, before, after });
      const last = files.at(-1)?.path;
      rest = isTruncated && last !== undefined ? rest.slice(rest.indexOf(last) + 1) : [];
    }
    return found;
  }

  async restoreFiles(
    wanted: readonly FileToRestore[],
    checkpointId = START,
  ): Promise<RewindResult> {
    const files = wanted.map((file) =>
      typeof file === "string" ? { path: file } : { path: file.path, stamp: file.stamp },
    );
    // A second attempt could take back what somebody did after the first one.
    return this.#requests.post<RewindResult>("rewind", { checkpointId, files }, LONG_AND_ONCE);
  }
}

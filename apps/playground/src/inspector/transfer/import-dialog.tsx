import { Import } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { usePage } from "../../state/page-context.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Facts } from "../section.tsx";
import { problemText, useBusy } from "../use-busy.ts";
import { type ExportFacts, readFacts } from "./export-facts.ts";
import { sessionInLink } from "./share-link.ts";

export interface ImportDialogProps {
  /** The fragment of a link that holds a session; a person chooses a file when missing. */
  fragment?: string;
  /** A file that was dropped on the page. */
  file?: File;
  onClose: () => void;
}

interface Incoming {
  bytes: Uint8Array<ArrayBuffer>;
  facts: ExportFacts;
}

/** Shows what an export is, and imports it once a person says yes. */
export function ImportDialog({ fragment, file, onClose }: ImportDialogProps) {
  const page = usePage();
  const { isBusy, problem, run } = useBusy();
  const [incoming, setIncoming] = useState<Incoming>();
  const [unreadable, setUnreadable] = useState("");

  /** The choice in sight, which one that is read more slowly must not replace. */
  const latest = useRef<Promise<unknown>>(undefined);
  const isClosed = useRef(false);

  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);

  const take = useCallback((read: Promise<Uint8Array<ArrayBuffer>>) => {
    latest.current = read;
    const show = (found: Incoming | undefined, words: string) => {
      if (latest.current !== read) return;
      setIncoming(found);
      setUnreadable(words);
    };
    read
      .then((bytes) => show({ bytes, facts: readFacts(bytes) }, ""))
      // Shows nothing of an earlier choice: the person has made another one.
      .catch((error: unknown) => show(undefined, problemText(error)));
  }, []);

  useEffect(() => {
    if (fragment !== undefined) take(sessionInLink(fragment));
    else if (file) take(file.arrayBuffer().then((bytes) => new Uint8Array(bytes)));
  }, [fragment, file, take]);

  /** Imports what is shown. Nothing of it stays when the person gives it up meanwhile. */
  async function bringIn() {
    if (!incoming) return;
    const host = await page.whenHost();
    const stream = new Blob([incoming.bytes]).stream();
    const session = await host.openSession();
    try {
      await session.importInto(stream);
    } finally {
      await session.shutdown();
    }
    if (isClosed.current) return host.deleteSession(session.sessionId);
    onClose();
    await page.open(session.sessionId);
  }

  return (
    <Dialog title="Import a session" onClose={onClose}>
      <div data-part="import">
        {fragment === undefined && (
          <input
            type="file"
            aria-label="Exported session"
            accept=".jsonl,.ndjson,application/x-ndjson"
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file) take(file.arrayBuffer().then((bytes) => new Uint8Array(bytes)));
            }}
          />
        )}
        {incoming && <IncomingView {...incoming} />}
        {(unreadable || problem) && (
          <p data-part="inspector-problem" role="alert">
            {unreadable || problem}
          </p>
        )}
        <footer data-part="inspector-actions">
          <Button
            look="strong"
            icon={<Import size={14} />}
            disabled={!incoming || isBusy}
            onClick={() => run(bringIn)}
          >
            {isBusy ? "Importing…" : "Import"}
          </Button>
          <Button onClick={onClose}>Don’t import</Button>
        </footer>
      </div>
    </Dialog>
  );
}

/** The facts of what is to be imported. */
function IncomingView({ bytes, facts }: Incoming) {
  return (
    <>
      <Facts
        rows={[
          ["Name", facts.name || "Untitled"],
          ["Model", facts.model],
          ["Last changed", facts.updatedAt],
          ["Size", formatBytes(bytes.length)],
        ]}
      />
      <p data-part="inspector-note">
        Somebody else may have made it. Nothing in it runs by itself, it gets its own copy of the
        files, and its permissions don’t count here.
      </p>
    </>
  );
}

import { requestPersistence, type StorageUse, storageUse } from "@robota/adapters-web";
import { useEffect, useState } from "react";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { formatBytes } from "../ui/format.ts";

export interface StorageSectionProps {
  /** Changes when stored data may have changed. */
  revision: string;
  onProblem: (error: unknown) => void;
}

/** The site's storage use in this browser, and whether the browser promises to keep it. */
export function StorageSection({ revision, onProblem }: StorageSectionProps) {
  const [use, setUse] = useState<StorageUse>();
  const [refused, setRefused] = useState(false);

  useEffect(() => {
    storageUse().then(setUse, onProblem);
    // Recomputed when `revision` changes; the problem callback does not matter.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [revision]);

  async function ask() {
    const persisted = await requestPersistence();
    setRefused(!persisted);
    announce(persisted ? "The browser protects these files" : "The browser may delete these files");
    setUse(await storageUse());
  }

  const { usage = 0, quota, persisted = false } = use ?? {};
  return (
    <section data-part="workspace-section" aria-label="Storage">
      <h3>Storage</h3>
      {use && (
        <>
          <p>
            <strong>{formatBytes(usage)}</strong>
            {quota === undefined ? "" : ` of ${formatBytes(quota)}`} used
          </p>
          {quota !== undefined && quota > 0 && (
            <meter aria-label="Used space" value={Math.min(1, usage / quota)}>
              {Math.round((usage / quota) * 100)} %
            </meter>
          )}
          <p data-part="workspace-help">
            {persisted
              ? "The browser keeps these files until you clear this site's data."
              : refused
                ? "The browser may clear these files. It may grant protection once you visit more often or bookmark the page; until then, save a zip of important files."
                : "The browser may clear these files when the disk runs full."}
          </p>
          {!persisted && (
            <div data-part="workspace-actions">
              <Button onClick={() => void ask().catch(onProblem)}>Make storage persistent</Button>
            </div>
          )}
        </>
      )}
    </section>
  );
}

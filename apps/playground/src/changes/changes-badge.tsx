import { useChangedFiles } from "./changed-files.ts";

/** How many files differ from the session's start, beside the name of the tab. */
export function ChangesBadge() {
  const { length } = useChangedFiles();
  if (length === 0) return null;
  return (
    <span data-part="tab-badge">
      <span aria-hidden="true">{length}</span>
      <span data-part="visually-hidden">{length === 1 ? "1 file" : `${length} files`}</span>
    </span>
  );
}

import { FlaskConical } from "lucide-react";
import { Exact } from "../ui/exact-text.tsx";
import { TerminalText } from "../ui/terminal-text.tsx";

export interface DryRunProps {
  /** The tool's report: its outcome in the first line, then what the command wrote. */
  note: string;
  /** True when the command was edited since. */
  isStale: boolean;
}

/** The outcome of the command on a copy of the files. */
export function DryRun({ note, isStale }: DryRunProps) {
  const end = note.indexOf("\n");
  const outcome = end < 0 ? note : note.slice(0, end);
  const output = end < 0 ? "" : note.slice(end + 1);
  return (
    <section data-part="dry-run" aria-label="Dry run" data-stale={isStale || undefined}>
      <p>
        <FlaskConical size={14} aria-hidden="true" />
        <Exact text={outcome} />
        {isStale && <strong> Of the original command.</strong>}
      </p>
      {output && (
        <pre aria-label="Output of the dry run" dir="auto">
          <TerminalText text={output} isExact />
        </pre>
      )}
    </section>
  );
}

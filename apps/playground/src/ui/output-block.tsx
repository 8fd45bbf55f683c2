import { useMemo, useState } from "react";
import { ansiSpans } from "./ansi.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import "./output-block.css";

const FIRST_LINES = 200;

export interface OutputBlockProps {
  text: string;
  /** Name of the copied text, such as `output`. */
  what: string;
}

/** Preformatted text with a copy button; long text shows its first lines until asked. */
export function OutputBlock({ text, what }: OutputBlockProps) {
  const [showAll, setShowAll] = useState(false);
  const lines = useMemo(() => text.split("\n"), [text]);
  const isLong = lines.length > FIRST_LINES && !showAll;
  const shown = isLong ? lines.slice(0, FIRST_LINES).join("\n") : text;
  const spans = useMemo(() => ansiSpans(shown), [shown]);

  return (
    <div data-part="output">
      <CopyButton text={text} what={what} />
      <pre tabIndex={0} aria-label={what}>
        {spans.map((span, index) => (
          <span
            key={index}
            data-ansi={span.color}
            data-bold={span.bold || undefined}
            data-dim={span.dim || undefined}
          >
            {span.text}
          </span>
        ))}
      </pre>
      {isLong && (
        <Button look="bare" onClick={() => setShowAll(true)}>
          Show all {lines.length} lines
        </Button>
      )}
    </div>
  );
}

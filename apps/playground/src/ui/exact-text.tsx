import { useMemo } from "react";
import { CopyButton } from "./copy-button.tsx";
import { exactSpans } from "./exact-spans.ts";
import "./output-block.css";

/** Text inside of a line, with what can't be seen written out. */
export function Exact({ text }: { text: string }) {
  const spans = useMemo(() => exactSpans(text), [text]);
  return spans.map((span, index) =>
    span.isMark ? (
      <mark key={index} data-part="unseen">
        {span.text}
      </mark>
    ) : (
      <span key={index}>{span.text}</span>
    ),
  );
}

export interface ExactTextProps {
  text: string;
  /** What the copy button copies, such as `command`. */
  what: string;
}

/** What would run, or did: to its last line, without colours, with what can't be seen written out. */
export function ExactText({ text, what }: ExactTextProps) {
  return (
    <div data-part="output">
      <CopyButton text={text} what={what} />
      <pre tabIndex={0} aria-label={what}>
        <Exact text={text} />
      </pre>
    </div>
  );
}

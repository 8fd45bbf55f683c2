import { useMemo } from "react";
import { CopyButton } from "./copy-button.tsx";
import { exactSpans } from "./exact-spans.ts";
import "./output-block.css";

/** Inline text with invisible characters escaped. */
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
  /** Name of the copied text, such as `command`. */
  what: string;
}

/** Text to approve or its output: complete, without colours, with invisible characters escaped. */
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

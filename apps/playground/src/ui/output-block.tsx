import { type ReactNode, useMemo, useState } from "react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { TerminalText } from "./terminal-text.tsx";
import "./output-block.css";

const FIRST_LINES = 200;

export interface OutputBlockProps {
  text: string;
  /** Name of the copied text, such as `output`. */
  what: string;
  /** Draws a text in another way than as a program's output. */
  draw?: (text: string) => ReactNode;
}

/** Preformatted text with a copy button; long text shows its first lines until asked. */
export function OutputBlock({ text, what, draw }: OutputBlockProps) {
  const [showAll, setShowAll] = useState(false);
  const lines = useMemo(() => text.split("\n"), [text]);
  const isLong = lines.length > FIRST_LINES && !showAll;
  const shown = isLong ? lines.slice(0, FIRST_LINES).join("\n") : text;

  return (
    <div data-part="output">
      <CopyButton text={text} what={what} />
      <pre tabIndex={0} aria-label={what} dir="auto">
        {draw ? draw(shown) : <TerminalText text={shown} />}
      </pre>
      {isLong && (
        <Button look="bare" onClick={() => setShowAll(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </Button>
      )}
    </div>
  );
}

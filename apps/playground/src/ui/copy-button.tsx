import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { announce } from "./announcer.tsx";
import { IconButton } from "./button.tsx";
import { copyText } from "./copy-text.ts";

export interface CopyButtonProps {
  text: string;
  what: string;
  /** The key that presses it where it is. */
  shortcut?: string;
}

export function CopyButton({ text, what, shortcut }: CopyButtonProps) {
  const [result, setResult] = useState<"copied" | "failed">();

  useEffect(() => {
    if (!result) return;
    const timer = setTimeout(() => setResult(undefined), 1500);
    return () => clearTimeout(timer);
  }, [result]);

  async function copy() {
    const isCopied = await copyText(text);
    // Without a clipboard, the text stays selectable.
    setResult(isCopied ? "copied" : "failed");
    announce(isCopied ? `Copied ${what}` : "The browser did not allow copying");
  }

  const label = result === "failed" ? "The browser did not allow copying" : `Copy ${what}`;
  return (
    <IconButton
      data-size="small"
      label={label}
      aria-keyshortcuts={shortcut}
      icon={result === "copied" ? <Check size={14} /> : <Copy size={14} />}
      onClick={() => void copy()}
    />
  );
}

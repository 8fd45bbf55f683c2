import { Eye } from "lucide-react";
import { useEffect } from "react";
import { usePage } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import "./watch-banner.css";

export interface WatchBannerProps {
  sessionId: string;
  /** True when the session was open here before. */
  lost: boolean;
}

/** In place of the composer while another tab has the session: why nothing can be written here, and the ways out. */
export function WatchBanner({ sessionId, lost }: WatchBannerProps) {
  const page = usePage();
  const title = lost ? "Another tab took over this session" : "Open in another tab";

  useEffect(() => announce(title), [title]);

  return (
    <div data-part="watch-banner">
      <Eye size={18} aria-hidden="true" />
      <div>
        <strong>{title}</strong>
        <p>You can follow it here. Only one tab at a time can write.</p>
      </div>
      <Button
        look="primary"
        onClick={() => void page.open(sessionId, { takeOver: true, history: "replace" })}
      >
        {lost ? "Take it back" : "Take over"}
      </Button>
      <Button onClick={() => void page.open()}>New session</Button>
    </div>
  );
}

import { useReadable } from "@robota/react";
import { MessageSquare } from "lucide-react";
import { panelRegions } from "./panels.ts";
import { inFront, showRegion } from "./view.ts";

/** The regions of the page, on a screen that has room for one at a time. */
export function PhoneTabs() {
  const selected = useReadable(inFront);
  const chat = { id: "chat", short: "Chat", icon: MessageSquare } as const;
  return (
    <nav data-part="phone-tabs" aria-label="Parts of the page">
      {[chat, ...panelRegions].map(({ id, short, icon: Icon }) => (
        <button
          key={id}
          type="button"
          aria-current={selected === id ? "page" : undefined}
          onClick={() => (id === "chat" ? inFront.set("chat") : showRegion(id))}
        >
          <Icon size={19} aria-hidden="true" />
          {short}
        </button>
      ))}
    </nav>
  );
}

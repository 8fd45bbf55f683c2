import { FolderTree, type LucideIcon, MessageSquare, ScrollText } from "lucide-react";
import type { PanelTab } from "./panel-tab.ts";

export type PhoneTab = "chat" | PanelTab;

const tabs: readonly { id: PhoneTab; label: string; icon: LucideIcon }[] = [
  { id: "chat", label: "Chat", icon: MessageSquare },
  { id: "files", label: "Files", icon: FolderTree },
  { id: "log", label: "Log", icon: ScrollText },
];

export interface PhoneTabsProps {
  selected: PhoneTab;
  onSelect: (tab: PhoneTab) => void;
}

/** The parts of the page, on a screen that has room for one at a time. */
export function PhoneTabs({ selected, onSelect }: PhoneTabsProps) {
  return (
    <nav data-part="phone-tabs" aria-label="Parts of the page">
      {tabs.map(({ id, label, icon: Icon }) => (
        <button
          key={id}
          type="button"
          aria-current={selected === id ? "page" : undefined}
          onClick={() => onSelect(id)}
        >
          <Icon size={19} aria-hidden="true" />
          {label}
        </button>
      ))}
    </nav>
  );
}

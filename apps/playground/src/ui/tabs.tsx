import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";
import "./tabs.css";

export interface Tab<Id extends string> {
  id: Id;
  label: ReactNode;
}

export interface TabsProps<Id extends string> {
  tabs: readonly Tab<Id>[];
  selected: Id;
  onSelect: (id: Id) => void;
  label: string;
  /** Content at the end of the tab row. */
  actions?: ReactNode;
  /** The selected tab's content. */
  children: ReactNode;
}

/** Tabs as the ARIA practices describe them: arrows move and select, one stop for Tab. */
export function Tabs<Id extends string>(props: TabsProps<Id>) {
  const { tabs, selected, onSelect, label, actions, children } = props;
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const strip = list.current?.getBoundingClientRect();
    const tab = list.current?.querySelector("[aria-selected=true]")?.getBoundingClientRect();
    if (!strip || !tab) return;
    // The strip alone: `scrollIntoView` would also scroll what it stands in.
    const left = Math.min(0, tab.left - strip.left) || Math.max(0, tab.right - strip.right);
    list.current?.scrollBy({ left });
  }, [selected]);

  function onKeyDown(event: KeyboardEvent) {
    const at = tabs.findIndex((tab) => tab.id === selected);
    const last = tabs.length - 1;
    const targets: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const to = targets[event.key];
    const tab = to === undefined ? undefined : tabs[to];
    if (!tab || to === undefined) return;
    event.preventDefault();
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  }

  return (
    <div data-part="tabs">
      <div data-part="tab-row">
        <div role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${prefix}-${tab.id}`}
              aria-selected={tab.id === selected}
              aria-controls={`${prefix}-panel`}
              tabIndex={tab.id === selected ? 0 : -1}
              onClick={() => onSelect(tab.id)}
            >
              {tab.label}
            </button>
          ))}
        </div>
        {actions}
      </div>
      <div
        role="tabpanel"
        id={`${prefix}-panel`}
        aria-labelledby={`${prefix}-${selected}`}
        data-part="tab-panel"
      >
        {children}
      </div>
    </div>
  );
}

import { useReadable } from "@robota/react";
import { type KeyboardEvent, useId, useState } from "react";
import { sessionTitle } from "../sessions/session-title.ts";
import { usePage } from "../state/page-context.ts";
import { Dialog, focusedFirst } from "../ui/dialog.tsx";
import { actions } from "./actions.ts";
import { keysLabel } from "./keys.ts";
import { typedAhead } from "./open-dialog.ts";
import "./palette.css";

/** Sessions offered beside the actions. */
const MAX_SESSIONS = 20;

interface Entry {
  id: string;
  label: string;
  note: string;
  run: () => void;
}

export interface PaletteProps {
  /** What is looked for to begin with. */
  search?: string;
  onClose: () => void;
}

/** Finds an action or a session by its name. */
export function Palette({ search: given = "", onClose }: PaletteProps) {
  const [search, setSearch] = useState(given + typedAhead());
  const [at, setAt] = useState(0);
  const list = useId();
  const entries = useEntries(search);
  const active = Math.min(at, entries.length - 1);

  function choose(entry: Entry | undefined) {
    if (!entry) return;
    onClose();
    // After the dialog has given the focus back.
    requestAnimationFrame(entry.run);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") setAt((active + 1) % Math.max(1, entries.length));
    else if (event.key === "ArrowUp") setAt((active || entries.length) - 1);
    else if (event.key === "Enter") choose(entries[active]);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title="Find an action" onClose={onClose}>
      <div data-part="palette">
        <input
          ref={focusedFirst}
          role="combobox"
          aria-label="Action or session"
          aria-autocomplete="list"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={entries[active] && `${list}-${active}`}
          placeholder="Type a word"
          value={search}
          onFocus={({ target }) => target.setSelectionRange(search.length, search.length)}
          onChange={(event) => {
            setSearch(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id={list} role="listbox" aria-label="Actions and sessions">
          {entries.map((entry, index) => (
            <li
              key={entry.id}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === active}
              ref={index === active ? scrollIntoView : undefined}
              onPointerMove={() => setAt(index)}
              onClick={() => choose(entry)}
            >
              <span>{entry.label}</span>
              {entry.note && <kbd>{entry.note}</kbd>}
            </li>
          ))}
        </ul>
        {entries.length === 0 && <p>Nothing found.</p>}
      </div>
    </Dialog>
  );
}

function useEntries(search: string): Entry[] {
  const page = usePage();
  const sessions = useReadable(page.sessions).slice(0, MAX_SESSIONS);
  const words = search.toLowerCase().split(/\s+/);
  const all: Entry[] = [
    ...actions
      .filter(({ id, isEnabled }) => id !== "palette" && (isEnabled?.(page) ?? true))
      .map(({ id, label, keys, run }) => ({
        id,
        label,
        note: keysLabel(keys?.[0] ?? ""),
        run: () => run(page),
      })),
    ...sessions.map((session) => ({
      id: session.id,
      label: `Open “${sessionTitle(session)}”`,
      note: "",
      run: () => void page.open(session.id),
    })),
  ];
  return all.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

import { useTranscript } from "@robota/react";
import type { SessionConnection } from "@robota/react/store";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { findHits } from "./find-hits.ts";
import { showPart } from "./mark-hits.ts";
import { isSearching, revealed } from "./search-state.ts";
import "./search.css";

/** Searches the whole conversation, also what is folded in or not drawn. */
export function SearchBar({ session }: { session: SessionConnection | undefined }) {
  const timeline = useDeferredValue(useTranscript(session));
  const [typed, setTyped] = useState("");
  const text = useDeferredValue(typed);
  const hits = useMemo(() => findHits(timeline, text), [timeline, text]);
  const [at, setAt] = useState(0);
  const position = Math.min(at, hits.length - 1);
  const hit = hits[position];
  const { entryId, itemId } = hit ?? {};

  useEffect(() => {
    if (entryId === undefined || itemId === undefined) return;
    revealed.set({ entryId, itemId });
    return showPart(itemId, text);
  }, [entryId, itemId, text]);
  useEffect(() => () => revealed.set(undefined), []);

  const go = (step: 1 | -1) => {
    if (hits.length > 0) setAt((position + step + hits.length) % hits.length);
  };

  return (
    <search data-part="search">
      <input
        autoFocus
        type="search"
        dir="auto"
        aria-label="Search the conversation"
        placeholder="Search the conversation"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") isSearching.set(false);
          else return;
          event.preventDefault();
        }}
      />
      <span role="status">{text.trim() && `${position + 1} / ${hits.length}`}</span>
      <IconButton
        label="Previous hit"
        icon={<ChevronUp size={15} />}
        disabled={hits.length === 0}
        onClick={() => go(-1)}
      />
      <IconButton
        label="Next hit"
        icon={<ChevronDown size={15} />}
        disabled={hits.length === 0}
        onClick={() => go(1)}
      />
      <IconButton
        label="Close the search"
        icon={<X size={15} />}
        onClick={() => isSearching.set(false)}
      />
    </search>
  );
}

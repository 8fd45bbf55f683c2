import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { useReadable } from "@robota/react";
import { panelWidth } from "../state/preferences.ts";

const MIN = 280;
const MAX = 760;
const STEP = 24;

/** The line between the conversation and the panel, to drag or to move with the arrow keys. */
export function Splitter() {
  const width = useReadable(panelWidth);
  const [drag, setDrag] = useState<{ from: number; width: number }>();

  const resize = (to: number) => panelWidth.set(Math.round(Math.min(MAX, Math.max(MIN, to))));

  function onKeyDown(event: KeyboardEvent) {
    const targets: Record<string, number> = {
      ArrowLeft: width + STEP,
      ArrowRight: width - STEP,
      Home: MAX,
      End: MIN,
    };
    const to = targets[event.key];
    if (to === undefined) return;
    event.preventDefault();
    resize(to);
  }

  function onPointerDown(event: PointerEvent) {
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ from: event.clientX, width });
  }

  return (
    <div
      data-part="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuenow={width}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => drag && resize(drag.width + drag.from - event.clientX)}
      onPointerUp={() => setDrag(undefined)}
      onPointerCancel={() => setDrag(undefined)}
    />
  );
}

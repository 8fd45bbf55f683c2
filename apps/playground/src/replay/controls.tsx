import type { UseReplay } from "@robota/react";
import type { SessionEvent } from "@robota/runtime";
import { Pause, Play, SkipBack, SkipForward, StepBack, StepForward } from "lucide-react";
import { useId } from "react";
import { IconButton } from "../ui/button.tsx";

const SPEEDS = [0.5, 1, 2, 5, 20];

export interface ControlsProps {
  replay: UseReplay;
  /** The last event that is shown. */
  event: SessionEvent | undefined;
}

/** Play, steps, the time line and the speed of a replay. */
export function Controls({ replay, event }: ControlsProps) {
  const { position, length, isPlaying, speed, play, pause, step, seek, setSpeed } = replay;
  const speedId = useId();
  const place = `Event ${position} of ${length}`;
  return (
    <div data-part="replay-controls" role="group" aria-label="Replay">
      <IconButton label="To the start" icon={<SkipBack size={16} />} onClick={() => seek(0)} />
      <IconButton
        label="Step back"
        icon={<StepBack size={16} />}
        disabled={position === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        label={isPlaying ? "Pause" : "Play"}
        icon={isPlaying ? <Pause size={18} /> : <Play size={18} />}
        onClick={isPlaying ? pause : play}
      />
      <IconButton
        label="Step forward"
        icon={<StepForward size={16} />}
        disabled={position === length}
        onClick={() => step(1)}
      />
      <IconButton
        label="To the end"
        icon={<SkipForward size={16} />}
        onClick={() => seek(length)}
      />
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={`${place}${event ? `, ${event.type}` : ""}`}
        min={0}
        max={length}
        value={position}
        onChange={(change) => seek(change.target.valueAsNumber)}
      />
      <span data-part="replay-place">
        {place}
        {event && <code>{event.type}</code>}
      </span>
      <label htmlFor={speedId} data-part="visually-hidden">
        Speed
      </label>
      <select
        id={speedId}
        value={speed}
        onChange={(change) => setSpeed(Number(change.target.value))}
      >
        {SPEEDS.map((factor) => (
          <option key={factor} value={factor}>
            {factor}×
          </option>
        ))}
      </select>
    </div>
  );
}

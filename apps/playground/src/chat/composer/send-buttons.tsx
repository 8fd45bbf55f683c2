import { ArrowUp, CircleStop, CornerDownRight } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";

export interface SendButtonsProps {
  /** True while a turn runs. */
  running: boolean;
  /** True for a message with a text or with attachments. */
  canSend: boolean;
  /** False for a message with attachments, which no running turn can take in. */
  canSteer: boolean;
  onSteer: () => void;
  onStop: () => void;
}

/** The buttons for sending, steering and stopping. */
export function SendButtons({ running, canSend, canSteer, onSteer, onStop }: SendButtonsProps) {
  return (
    <>
      {running && canSend && (
        <>
          {canSteer && (
            <Button
              look="bare"
              aria-label="Steer"
              icon={<CornerDownRight size={15} />}
              title="Sends to the running turn at its next step (Ctrl or Cmd + Enter)"
              onClick={onSteer}
            >
              Steer
            </Button>
          )}
          <Button type="submit" title="Runs when this turn is over (Enter)">
            Queue
          </Button>
        </>
      )}
      {running ? (
        <Button look="strong" aria-label="Stop" icon={<CircleStop size={15} />} onClick={onStop}>
          Stop
        </Button>
      ) : (
        <IconButton
          type="submit"
          data-look="send"
          label="Send"
          icon={<ArrowUp size={17} />}
          disabled={!canSend}
        />
      )}
    </>
  );
}

import { jumpToMessage } from "./view.ts";

/** The page's first stop for Tab, in sight while it has the focus: past the sessions and the conversation. */
export function SkipLink() {
  return (
    <button type="button" data-part="skip-link" onClick={jumpToMessage}>
      Skip to the message
    </button>
  );
}

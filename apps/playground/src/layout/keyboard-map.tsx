import { Dialog } from "../ui/dialog.tsx";
import { actions } from "./actions.ts";
import { type Keys, keysLabel } from "./keys.ts";
import "./keyboard-map.css";

/** Keys that only work inside a part of the page. Those of actions come from `actions.ts`. */
const ofParts: readonly { title: string; keys: readonly (readonly [Keys, string])[] }[] = [
  {
    title: "Writing",
    keys: [
      ["Enter", "Send, or queue while a turn runs"],
      ["Shift+Enter", "New line"],
      ["Mod+Enter", "Steer the running turn"],
      ["↑", "In an empty box: the last prompt"],
    ],
  },
  {
    title: "Approving, while the request has the focus",
    keys: [
      ["1", "Allow once"],
      ["2", "Always…"],
      ["3", "Deny"],
      ["Mod+Enter", "Deny with the note as reason"],
    ],
  },
  {
    title: "Turns, while one has the focus",
    keys: [
      ["E", "Edit its message and send it again"],
      ["C", "Copy its message"],
      ["F", "Fork after it"],
    ],
  },
  {
    title: "Sessions, while one has the focus",
    keys: [
      ["F2", "Rename"],
      ["Delete", "Delete"],
    ],
  },
];

const ofActions = (["Session", "Getting around"] as const).map((title) => ({
  title,
  keys: actions.flatMap(({ group, keys, label }) =>
    group === title && keys ? [[keys.map(keysLabel).join(" · "), label] as const] : [],
  ),
}));

export function KeyboardMap({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div data-part="keyboard-map" role="group" aria-label="All shortcuts" tabIndex={0}>
        {[...ofParts, ...ofActions].map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt>
                    <kbd>{keysLabel(key)}</kbd>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

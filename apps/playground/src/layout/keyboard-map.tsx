import { Dialog } from "../ui/dialog.tsx";
import "./keyboard-map.css";

const mod = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";

const groups: readonly { title: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "Writing",
    keys: [
      ["Enter", "Send, or queue while a turn runs"],
      ["Shift+Enter", "New line"],
      [`${mod}+Enter`, "Steer the running turn"],
      ["↑", "In an empty box: the last prompt"],
      ["Esc", "Stop the turn"],
    ],
  },
  {
    title: "Approving, while the request has the focus",
    keys: [
      ["Alt+A", "Go to the request"],
      ["1", "Allow once"],
      ["2", "Always…"],
      ["3", "Deny"],
      [`${mod}+Enter`, "Deny with the note as reason"],
    ],
  },
  {
    title: "Getting around",
    keys: [
      ["F6 · Shift+F6", "Next or previous region"],
      ["Alt+↑ · Alt+↓", "Previous or next turn"],
      [`${mod}+B`, "Sessions"],
      [`${mod}+J`, "Files and log"],
      ["F2 · Delete", "Rename or delete the focused session"],
      [`? · ${mod}+/`, "This map"],
    ],
  },
];

export function KeyboardMap({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div data-part="keyboard-map">
        {groups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
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

import { type Component, Text } from "@earendil-works/pi-tui";
import type { Checkpoint, RewindScope } from "@robota/runtime/sessions";
import { firstLine } from "../printable.ts";
import { Menu } from "./menu.ts";
import type { Theme } from "./theme.ts";

export interface RewindOptions {
  theme: Theme;
  checkpoints: readonly Checkpoint[];
  show: (component: Component) => void;
  rewind: (checkpoint: Checkpoint, what: RewindScope) => void;
  onCancel: () => void;
}

const SCOPES: readonly { what: RewindScope; label: string }[] = [
  { what: "both", label: "The conversation and the files" },
  { what: "conversation", label: "The conversation alone" },
  { what: "files", label: "The files alone" },
];

/** Asks for the turn before which the session goes back, and for what goes back. */
export function showRewind(options: RewindOptions): void {
  const { theme, checkpoints, show, onCancel } = options;
  const menu = new Menu({
    theme,
    above: [new Text(theme.bold("Rewind to before"), 0, 0)],
    items: checkpoints.toReversed().map((checkpoint) => ({
      label: describe(checkpoint),
      choose: () => askForScope(checkpoint, options),
    })),
    hint: "↑↓ and Enter to choose · Esc to close",
    onCancel,
  });
  show(menu);
}

function askForScope(checkpoint: Checkpoint, options: RewindOptions): void {
  const { theme, show, rewind } = options;
  const menu = new Menu({
    theme,
    above: [new Text(theme.bold(`Rewind to before: ${describe(checkpoint)}`), 0, 0)],
    items: SCOPES.map(({ what, label }) => ({ label, choose: () => rewind(checkpoint, what) })),
    hint: "Esc to go back",
    onCancel: () => showRewind(options),
  });
  show(menu);
}

function describe({ kind, input }: Checkpoint): string {
  return kind === "rewind" ? "An earlier rewind" : firstLine(input, 60) || "Attachments";
}

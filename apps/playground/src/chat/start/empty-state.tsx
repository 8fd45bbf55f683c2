import { sampleProject } from "@robota/runtime/providers/offline";
import { Bug, Compass, FilePlus, type LucideIcon, ShieldAlert, Terminal } from "lucide-react";
import { chosenConnection } from "../../connections/connections.ts";
import { modelLabel } from "../../connections/labels.ts";
import { DEFAULT_WORKSPACE, workspaceId } from "../../state/current-workspace.ts";
import { useCurrentSession } from "../../state/page-context.ts";
import { Button } from "../../ui/button.tsx";
import { composeText } from "../composer/compose.ts";
import "./empty-state.css";

/** Cards of a workspace with a person's own files, which the sample's commands would not fit. */
const ownCards: typeof sampleProject.prompts = [
  {
    title: "Look around",
    about: "Lists the files of this workspace, and searches them.",
    commands: ["list", "find TODO"],
  },
  {
    title: "Write a file",
    about: "Asks before it writes a note, then reads it back.",
    commands: ["write notes.md: Written by the offline guide.", "read notes.md"],
  },
  {
    title: "Run a command",
    about: "Runs a shell command on these files, with your approval.",
    commands: ["run ls -la && wc -c *"],
  },
];

const isSample = workspaceId === DEFAULT_WORKSPACE;
const cards = isSample ? sampleProject.prompts : ownCards;
/** Icons in the order of the cards. */
const icons: readonly LucideIcon[] = isSample
  ? [Bug, Compass, ShieldAlert]
  : [Compass, FilePlus, Terminal];
const examples = ["list", isSample ? "read README.md" : "help", "run ls"];

export interface EmptyStateProps {
  /** @param title the text shown instead of the commands */
  onStart: (commands: string, title: string) => void;
  onReset: () => void;
}

export function EmptyState({ onStart, onReset }: EmptyStateProps) {
  const { local } = useCurrentSession();
  const { provider, model } = local?.getModel() ?? chosenConnection();
  const isGuide = provider === "offline";
  const { name, note } = modelLabel(provider, model);
  return (
    <div data-part="empty-state">
      <h2>Watch an agent work</h2>
      <p>
        {isGuide
          ? "Runs in this tab. No key, no account, nothing sent."
          : `Runs in this tab with ${name}. Prompts and what it reads go to ${note}.`}
      </p>
      <ul>
        {cards.map(({ title, about, commands }, index) => {
          const Icon = icons[index] ?? Compass;
          return (
            <li key={title}>
              <button
                type="button"
                data-part="guide"
                onClick={() => onStart(commands.join("\n"), title)}
              >
                <Icon size={18} aria-hidden="true" />
                <span data-part="guide-title">{title}</span>
                <span data-part="guide-text">{about}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <div data-part="examples" role="group" aria-label="Commands to try">
        {examples.map((command) => (
          <Button key={command} onClick={() => composeText(command)}>
            {command}
          </Button>
        ))}
      </div>
      <p data-part="empty-note">
        {isGuide
          ? "The offline guide is scripted, not AI. The session, the tools, the permissions and the files are real."
          : "These are written for the offline guide. A model reads them as any prompt."}
      </p>
      {isSample && (
        <Button look="bare" onClick={onReset}>
          Reset the sample files
        </Button>
      )}
    </div>
  );
}

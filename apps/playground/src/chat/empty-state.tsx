import { sampleProject } from "@robota/runtime/providers/offline";
import { Bug, Compass, type LucideIcon, ShieldAlert } from "lucide-react";
import { chosenConnection } from "../connections/connections.ts";
import { modelLabel } from "../connections/labels.ts";
import { useCurrentSession } from "../state/page-context.ts";
import "./empty-state.css";

/** Icons in the order of the prompts. */
const icons: readonly LucideIcon[] = [Bug, Compass, ShieldAlert];

export interface EmptyStateProps {
  /** @param title the text shown instead of the commands */
  onStart: (commands: string, title: string) => void;
}

export function EmptyState({ onStart }: EmptyStateProps) {
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
        {sampleProject.prompts.map(({ title, about, commands }, index) => {
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
      <p data-part="empty-note">
        {isGuide
          ? "The offline guide is scripted, not AI. The session, the tools, the permissions and the files are real."
          : "These are written for the offline guide. A model reads them as any prompt."}
      </p>
    </div>
  );
}

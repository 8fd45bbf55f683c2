import { Bug, type LucideIcon, ShieldAlert, Workflow } from "lucide-react";
import "./empty-state.css";

interface Guide {
  icon: LucideIcon;
  prompt: string;
  what: string;
}

/** Prompts that the offline guide plays as runs of several steps on the sample project. */
const guides: readonly Guide[] = [
  {
    icon: Bug,
    prompt: "Fix the failing test",
    what: "Reads the project, shows its change before it is made, and runs the test.",
  },
  {
    icon: Workflow,
    prompt: "Explore with a subagent",
    what: "Sends a second agent to look around and reports what it found.",
  },
  {
    icon: ShieldAlert,
    prompt: "Break it: hooks & permissions",
    what: "Tries what it may not do. A hook and a rule stand in its way.",
  },
];

export interface EmptyStateProps {
  onStart: (prompt: string) => void;
}

export function EmptyState({ onStart }: EmptyStateProps) {
  return (
    <div data-part="empty-state">
      <h2>Watch an agent work</h2>
      <p>Runs in this tab. No key, no account, nothing sent.</p>
      <ul>
        {guides.map(({ icon: Icon, prompt, what }) => (
          <li key={prompt}>
            <button type="button" data-part="guide" onClick={() => onStart(prompt)}>
              <Icon size={18} aria-hidden="true" />
              <span data-part="guide-title">{prompt}</span>
              <span data-part="guide-text">{what}</span>
            </button>
          </li>
        ))}
      </ul>
      <p data-part="empty-note">
        The offline guide is scripted, not AI. The session, the tools, the permissions and the files
        are real.
      </p>
    </div>
  );
}

import type { SessionConnection } from "@robota/react/store";
import type { CommandInfo } from "@robota/runtime/sessions";
import { useEffect, useState } from "react";
import { labelOfSource } from "../../chat/commands/command-source.ts";
import { RemoteNote } from "../remote-note.tsx";
import { PanelBody, Section } from "../section.tsx";
import { problemText } from "../use-busy.ts";

/** The offers of a server to a person of its session: its commands, with those of skills, plugins and MCP servers. */
export function RemoteExtensions({ session }: { session: SessionConnection }) {
  const [commands, setCommands] = useState<readonly CommandInfo[]>();
  const [problem, setProblem] = useState("");

  useEffect(() => {
    let isCurrent = true;
    session.getCommands().then(
      (found) => isCurrent && (setCommands(found), setProblem("")),
      (error: unknown) => isCurrent && setProblem(problemText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [session]);

  return (
    <PanelBody label="Extensions">
      <RemoteNote>Its skills, agents, plugins and MCP servers are set up there.</RemoteNote>
      {problem && (
        <p data-part="inspector-problem" role="alert">
          {problem}
        </p>
      )}
      <Section
        title="Commands it offers"
        note={commands?.length === 0 ? "The server offers none to this token." : undefined}
      >
        <ul data-part="rows">
          {commands?.map(({ name, description, source }) => (
            <li key={name} title={description}>
              <code data-part="setting-path">/{name}</code>
              <span data-part="row-main">{description}</span>
              <span data-part="row-note">{labelOfSource(source)}</span>
            </li>
          ))}
        </ul>
      </Section>
    </PanelBody>
  );
}

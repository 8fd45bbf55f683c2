import { useSelected, useSession } from "@robota/react";
import { type SessionConnection, sessionStore, type SessionView } from "@robota/react/store";
import { RemoteNote } from "../remote-note.tsx";
import { PanelBody, Section } from "../section.tsx";
import { modeDescriptions } from "./mode-descriptions.ts";

/** Permissions of a session on a server, as far as its events tell. */
export function RemotePermissions({ session }: { session: SessionConnection }) {
  const { mode } = useSession(session);
  const grants = useSelected(sessionStore(session), grantsOf);
  return (
    <PanelBody label="Permissions">
      <RemoteNote>Its rules are set there, and each card says which one decided.</RemoteNote>
      <Section title="Mode" note={modeDescriptions[mode]} />
      <Section
        title="Allowed by you"
        note={
          grants.length === 0
            ? "Nothing yet. “Always” on a request for approval adds a rule here."
            : undefined
        }
      >
        <ul data-part="rows">
          {grants.map(({ pattern, scope, toolCallId }) => (
            <li key={toolCallId}>
              <code data-part="row-main">{pattern}</code>
              <span data-part="row-note">{scope}</span>
            </li>
          ))}
        </ul>
      </Section>
    </PanelBody>
  );
}

const grantsOf = ({ grants }: SessionView) => grants;

import { useReadable } from "@robota/react";
import type { InteractiveSession } from "@robota/runtime";
import type { McpServerSettings } from "@robota/runtime/settings";
import { Plus, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { changeOwnSettings, ownSettings } from "../../state/own-settings.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { staleSession } from "../reopen.ts";
import { Section } from "../section.tsx";
import { listOf, runCommand, textOf } from "../run-command.ts";
import { useBusy } from "../use-busy.ts";
import { useCommandList } from "./use-command-list.ts";

type Servers = Readonly<Record<string, McpServerSettings>>;

/** The MCP servers of the session: state and tools of each, switched and removed where they are the person's own. */
export function ServersSection({ session }: { session: InteractiveSession }) {
  const { reply, problem, refresh } = useCommandList(session, "mcp");
  const own = useReadable(ownSettings)?.mcpServers ?? {};
  const { isBusy, problem: failure, run } = useBusy();
  const servers = listOf(reply?.data["servers"]);
  const waiting = Object.keys(own).filter(
    (name) => !servers.some((server) => server["name"] === name),
  );

  function change(next: (servers: Servers) => Servers) {
    changeOwnSettings((settings) => ({ ...settings, mcpServers: next(settings.mcpServers ?? {}) }));
    staleSession.set(session);
  }

  return (
    <Section
      title="MCP servers"
      note={
        servers.length + waiting.length === 0
          ? "None yet. Servers must allow requests from web pages (CORS)."
          : undefined
      }
      actions={
        servers.length > 0 && (
          <Button look="bare" disabled={isBusy} onClick={refresh}>
            Check again
          </Button>
        )
      }
    >
      <ul data-part="rows">
        {servers.map((server) => {
          const name = textOf(server["name"]);
          const state = textOf(server["state"]);
          const tools = Array.isArray(server["tools"]) ? server["tools"].map(String) : [];
          return (
            <li key={name}>
              <span data-part="row-main">
                <strong>{name}</strong> {textOf(server["place"])}
                {tools.length > 0 && <small>{tools.join(", ")}</small>}
                {server["error"] !== undefined && <small>{textOf(server["error"])}</small>}
              </span>
              <span data-part="row-note" data-state={state}>
                {state}
              </span>
              {state === "unauthorized" && (
                <Button
                  disabled={isBusy}
                  onClick={() =>
                    run(async () => {
                      await runCommand(session, "mcp", `authorize ${name}`);
                      refresh();
                    })
                  }
                >
                  Authorize
                </Button>
              )}
              {own[name] && <OwnServer name={name} server={own[name]} onChange={change} />}
            </li>
          );
        })}
        {waiting.map((name) => (
          <li key={name}>
            <span data-part="row-main">
              <strong>{name}</strong> {own[name]?.url}
            </span>
            <span data-part="row-note">after reopening</span>
            <OwnServer name={name} server={own[name] ?? {}} onChange={change} />
          </li>
        ))}
      </ul>
      {(problem || failure) && (
        <p data-part="inspector-problem" role="alert">
          {problem || failure}
        </p>
      )}
      <AddServer onAdd={(name, url) => change((before) => ({ ...before, [name]: { url } }))} />
    </Section>
  );
}

interface OwnServerProps {
  name: string;
  server: McpServerSettings;
  onChange: (next: (servers: Servers) => Servers) => void;
}

function OwnServer({ name, server, onChange }: OwnServerProps) {
  const isOn = server.enabled !== false;
  return (
    <>
      <label data-part="inspector-check">
        <input
          type="checkbox"
          role="switch"
          aria-label={`Use ${name}`}
          checked={isOn}
          onChange={() =>
            onChange((servers) => ({ ...servers, [name]: { ...server, enabled: !isOn } }))
          }
        />
      </label>
      <IconButton
        data-size="small"
        label={`Remove ${name}`}
        icon={<Trash2 size={13} />}
        onClick={() =>
          onChange((servers) =>
            Object.fromEntries(Object.entries(servers).filter(([other]) => other !== name)),
          )
        }
      />
    </>
  );
}

function AddServer({ onAdd }: { onAdd: (name: string, url: string) => void }) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");

  function submit(event: FormEvent) {
    event.preventDefault();
    onAdd(name, url);
    setName("");
    setUrl("");
  }

  return (
    <details data-part="inspector-add">
      <summary>Add a server</summary>
      <form data-part="inspector-form" data-shape="stack" onSubmit={submit}>
        <label>
          Name
          <input
            required
            pattern="[A-Za-z0-9_\-]+"
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label>
          Address
          <input
            type="url"
            required
            placeholder="https://example.com/mcp"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        </label>
        <Button type="submit" icon={<Plus size={14} />}>
          Add server
        </Button>
      </form>
    </details>
  );
}

import type { InteractiveSession } from "@robota/runtime";
import { Plus, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { announce } from "../../ui/announcer.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { OutputBlock } from "../../ui/output-block.tsx";
import { type CommandReply, listOf, runCommand, textOf } from "../run-command.ts";
import { Section } from "../section.tsx";
import { type Busy, useBusy } from "../use-busy.ts";
import { useCommandList } from "./use-command-list.ts";

/** The installed plugins. Everything one brings is shown before it is installed or approved. */
export function PluginsSection({ session }: { session: InteractiveSession }) {
  const { reply, problem, refresh } = useCommandList(session, "plugins");
  const busy = useBusy();
  const [proposal, setProposal] = useState<CommandReply>();
  const plugins = listOf(reply?.data["plugins"]);

  async function ask(args: string) {
    const answer = await runCommand(session, "plugins", args);
    if (answer.data["needsConfirmation"] === true) return setProposal(answer);
    setProposal(undefined);
    announce(answer.message);
    refresh();
  }

  return (
    <Section
      title="Plugins"
      note={
        plugins.length === 0 ? "None installed. Changes count from the next turn on." : undefined
      }
    >
      <ul data-part="rows">
        {plugins.map((plugin) => (
          <PluginRow key={textOf(plugin["name"])} plugin={plugin} busy={busy} onAsk={ask} />
        ))}
      </ul>
      {proposal && (
        <div role="group" aria-label="What the plugin brings">
          <OutputBlock text={shownText(proposal)} what="plugin" />
          <div data-part="inspector-actions">
            <Button
              look="strong"
              disabled={busy.isBusy}
              onClick={() => busy.run(() => ask(`confirm ${textOf(proposal.data["name"])}`))}
            >
              Install exactly this
            </Button>
            <Button onClick={() => setProposal(undefined)}>Don’t install</Button>
          </div>
        </div>
      )}
      {(problem || busy.problem) && (
        <p data-part="inspector-problem" role="alert">
          {problem || busy.problem}
        </p>
      )}
      <InstallPlugin busy={busy} onInstall={(source) => ask(`install ${source}`)} />
    </Section>
  );
}

/** The account of the plugin, without the command line's way to confirm it. */
function shownText({ data, message }: CommandReply): string {
  const diff = data["diff"];
  const text = typeof diff === "object" && diff !== null && "text" in diff ? diff.text : message;
  return String(text);
}

interface PluginRowProps {
  plugin: Readonly<Record<string, unknown>>;
  busy: Busy;
  onAsk: (args: string) => Promise<void>;
}

function PluginRow({ plugin, busy, onAsk }: PluginRowProps) {
  const name = textOf(plugin["name"]);
  const isEnabled = plugin["enabled"] === true;
  const isApproved = plugin["approved"] === true;
  return (
    <li>
      <span data-part="row-main">
        <strong>{name}</strong> {textOf(plugin["version"])}
      </span>
      <span data-part="row-note">
        {isApproved ? textOf(plugin["scope"]) : "waits for approval"}
      </span>
      {!isApproved && (
        <Button disabled={busy.isBusy} onClick={() => busy.run(() => onAsk(`approve ${name}`))}>
          Review
        </Button>
      )}
      <label data-part="inspector-check">
        <input
          type="checkbox"
          role="switch"
          aria-label={`Use ${name}`}
          checked={isEnabled}
          disabled={busy.isBusy}
          onChange={() => busy.run(() => onAsk(`${isEnabled ? "disable" : "enable"} ${name}`))}
        />
      </label>
      <IconButton
        data-size="small"
        label={`Remove ${name}`}
        icon={<Trash2 size={13} />}
        disabled={busy.isBusy}
        onClick={() => busy.run(() => onAsk(`uninstall ${name}`))}
      />
    </li>
  );
}

interface InstallPluginProps {
  busy: Busy;
  onInstall: (source: string) => Promise<void>;
}

function InstallPlugin({ busy, onInstall }: InstallPluginProps) {
  const [source, setSource] = useState("");

  function submit(event: FormEvent) {
    event.preventDefault();
    busy.run(() => onInstall(source.trim()));
  }

  return (
    <details data-part="inspector-add">
      <summary>Install a plugin</summary>
      <form data-part="inspector-form" data-shape="stack" onSubmit={submit}>
        <label>
          Folder of the workspace, address of an archive, or owner/repository
          <input
            required
            spellCheck={false}
            value={source}
            onChange={(event) => setSource(event.target.value)}
          />
        </label>
        <Button type="submit" icon={<Plus size={14} />} disabled={busy.isBusy}>
          Review
        </Button>
      </form>
    </details>
  );
}

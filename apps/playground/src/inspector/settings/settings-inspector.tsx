import { useReadable, useSession } from "@robota/react";
import type { InteractiveSession } from "@robota/runtime";
import type { SettingsFileLayer } from "@robota/runtime/settings";
import { type FormEvent, useState } from "react";
import { useCurrentSession, useHost } from "../../state/page-context.ts";
import { changeOwnSettings, ownSettings } from "../../state/own-settings.ts";
import { announce } from "../../ui/announcer.tsx";
import { Button } from "../../ui/button.tsx";
import { staleSession } from "../reopen.ts";
import { RemoteNote } from "../remote-note.tsx";
import { EmptyPanel, PanelBody, Section } from "../section.tsx";
import { StaleNote } from "../stale-note.tsx";
import { TrustSection } from "./trust-section.tsx";
import { useBusy } from "../use-busy.ts";
import { changeAt, merged, parseValue, settingRows } from "./setting-rows.ts";

/** Settings that people change most, for the list of names. */
const KNOWN = [
  "language",
  "maxTurns",
  "autoCompactThreshold",
  "readOnlyCommands",
  "permissions.defaultMode",
  "permissions.allow",
  "permissions.ask",
  "permissions.deny",
];

/** The settings in force with the layer of each, and a form that writes one. */
export function SettingsInspector() {
  const { local, remote } = useCurrentSession();
  // Read again after a turn, which takes changed files in.
  useSession(local);
  useReadable(ownSettings);
  const settings = local?.getSettings();
  if (remote)
    return (
      <PanelBody label="Settings">
        <RemoteNote>Its settings are those of the server and of its files.</RemoteNote>
      </PanelBody>
    );
  if (!local || !settings)
    return <EmptyPanel>Settings are shown once the session is open.</EmptyPanel>;
  const rows = settingRows(settings);
  return (
    <PanelBody label="Settings">
      <StaleNote />
      <TrustSection session={local} settings={settings} />
      <Section
        title="In force"
        note={rows.length === 0 ? "Everything is at its default." : undefined}
      >
        <ul data-part="rows">
          {rows.map(({ path, value, layer }) => (
            <li key={path}>
              <code data-part="setting-path">{path}</code>
              <code data-part="row-main">{value}</code>
              <span data-part="row-note">{layer === "host" ? "your settings" : layer}</span>
            </li>
          ))}
        </ul>
      </Section>
      {settings.warnings.length > 0 && (
        <Section title="Not in force">
          <ul data-part="rows">
            {settings.warnings.map(({ layer, setting, message }, index) => (
              <li key={index}>
                <span data-part="row-main">
                  <code>{setting || layer}</code> {message}
                </span>
                <span data-part="row-note">{layer}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Change session={local} />
    </PanelBody>
  );
}

type Target = "own" | Extract<SettingsFileLayer, "project" | "local">;

const targets: readonly { id: Target; label: string }[] = [
  { id: "own", label: "Your settings (this browser)" },
  { id: "local", label: ".robota/settings.local.json" },
  { id: "project", label: ".robota/settings.json" },
];

function Change({ session }: { session: InteractiveSession }) {
  const [path, setPath] = useState("");
  const [value, setValue] = useState("");
  const [target, setTarget] = useState<Target>("own");
  const { isBusy, problem, run } = useBusy();
  const host = useHost();

  async function save() {
    const change = changeAt(
      path.trim(),
      value.trim() === "" ? undefined : parseValue(value.trim()),
    );
    if (target === "own") {
      const { checkSettings } = await import("./check-settings.ts");
      if (host) await checkSettings(host.platform, merged(ownSettings.get() ?? {}, change));
      changeOwnSettings((present) => merged(present, change));
    } else await session.updateSettings(target, change);
    staleSession.set(session);
    setPath("");
    setValue("");
    announce("Setting saved");
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    run(save);
  }

  return (
    <Section
      title="Change a setting"
      note="Without a value, the setting is removed. Files of the workspace need trust."
    >
      <form data-part="inspector-form" data-shape="stack" onSubmit={submit}>
        <label>
          Name
          <input
            list="setting-names"
            required
            pattern="[A-Za-z][\w.\-]*"
            spellCheck={false}
            value={path}
            onChange={(event) => setPath(event.target.value)}
          />
        </label>
        <KnownNames />
        <label>
          Value
          <input
            spellCheck={false}
            placeholder="A word, a number or JSON"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </label>
        <label>
          Save in
          <select
            value={target}
            onChange={(event) =>
              setTarget(targets.find(({ id }) => id === event.target.value)?.id ?? "own")
            }
          >
            {targets.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <Button type="submit" disabled={isBusy}>
          Save
        </Button>
        <span role="alert" data-part="inspector-problem" hidden={!problem}>
          {problem}
        </span>
      </form>
    </Section>
  );
}

function KnownNames() {
  return (
    <datalist id="setting-names">
      {KNOWN.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

import { useReadable, useSession } from "@robota/react";
import type { InteractiveSession } from "@robota/runtime";
import { addSkill } from "@robota/runtime/settings";
import { Play, Plus, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { usePage } from "../../state/page-context.ts";
import { changeOwnSettings, ownSettings } from "../../state/own-settings.ts";
import { announce } from "../../ui/announcer.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { staleSession } from "../reopen.ts";
import { Section } from "../section.tsx";
import { useBusy } from "../use-busy.ts";

/** The skills in force, with a way to try each, and to add one by its address and hash. */
export function SkillsSection({ session }: { session: InteractiveSession }) {
  useSession(session);
  const own = useReadable(ownSettings)?.skills ?? [];
  const skills = [...session.getSkills().values()];
  const busy = useBusy();

  function remove(url: string) {
    changeOwnSettings((settings) => ({
      ...settings,
      skills: settings.skills?.filter((skill) => skill.url !== url) ?? [],
    }));
    staleSession.set(session);
  }

  return (
    <Section
      title="Skills"
      note={
        skills.length === 0 ? "None in force. Skills of the workspace wait for trust." : undefined
      }
    >
      <ul data-part="rows">
        {skills.map((skill) => (
          <li key={skill.name}>
            <span data-part="row-main">
              <strong>{skill.name}</strong> {skill.description}
            </span>
            <span data-part="row-note">{skill.source}</span>
            {skill.isUserInvocable && (
              <Button
                look="bare"
                icon={<Play size={13} />}
                aria-label={`Try ${skill.name}`}
                onClick={() => busy.run(() => session.executeCommand(skill.name))}
              >
                Try
              </Button>
            )}
          </li>
        ))}
        {own.map(({ url }) => (
          <li key={url}>
            <span data-part="row-main">{url}</span>
            <span data-part="row-note">your settings</span>
            <IconButton
              data-size="small"
              label={`Remove ${url}`}
              icon={<Trash2 size={13} />}
              onClick={() => remove(url)}
            />
          </li>
        ))}
      </ul>
      {busy.problem && (
        <p data-part="inspector-problem" role="alert">
          {busy.problem}
        </p>
      )}
      <AddSkill session={session} />
    </Section>
  );
}

function AddSkill({ session }: { session: InteractiveSession }) {
  const page = usePage();
  const [url, setUrl] = useState("");
  const [sha256, setHash] = useState("");
  const { isBusy, problem, run } = useBusy();

  async function add() {
    const { platform } = await page.whenHost();
    const skill = await addSkill(url, { platform, sha256 });
    changeOwnSettings((settings) => ({
      ...settings,
      skills: [...(settings.skills ?? []).filter((other) => other.url !== url), { url, sha256 }],
    }));
    staleSession.set(session);
    setUrl("");
    setHash("");
    announce(`Added the skill ${skill.name}`);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    run(add);
  }

  return (
    <details data-part="inspector-add">
      <summary>Add a skill by its address</summary>
      <form data-part="inspector-form" data-shape="stack" onSubmit={submit}>
        <label>
          Address of SKILL.md or an archive
          <input
            type="url"
            required
            placeholder="https://"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        </label>
        <label>
          SHA-256 of the file
          <input
            required
            pattern="[0-9a-f]{64}"
            spellCheck={false}
            value={sha256}
            onChange={(event) => setHash(event.target.value.trim().toLowerCase())}
          />
        </label>
        <Button type="submit" icon={<Plus size={14} />} disabled={isBusy}>
          {isBusy ? "Fetching…" : "Add skill"}
        </Button>
        <span role="alert" data-part="inspector-problem" hidden={!problem}>
          {problem}
        </span>
      </form>
    </details>
  );
}

import { type FormEvent, useState } from "react";
import type { AgentHost } from "../agent-host.ts";
import { OFFLINE } from "../connections/connection.ts";
import { chosenConnection, savedConnections } from "../connections/connections.ts";
import { openDialog } from "../layout/open-dialog.ts";
import { useCurrentSession, useHost, usePage } from "../state/page-context.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import {
  compare,
  type Comparison,
  discardAll,
  keepSide,
  type SideName,
  type SideSettings,
} from "./comparison.ts";
import { SideForm } from "./side-form.tsx";
import { SideView } from "./side-view.tsx";
import "../connections/sheet/providers.css";
import "./compare.css";

/** One prompt, two ways to answer it, each on its own copy of the session and its files. */
export function CompareDialog({ onClose }: { onClose: () => void }) {
  const { local } = useCurrentSession();
  const { host, comparison, problem, isBusy, begin, keep, discard } = useComparison(onClose);
  const [isLeaving, setLeaving] = useState(false);
  // Answers may have cost money: closing asks once.
  const leave = () => (comparison ? setLeaving(true) : onClose());
  return (
    <Dialog title="Compare" onClose={leave}>
      <div data-part="compare">
        {problem && (
          <p data-part="providers-problem" role="alert">
            {problem}
          </p>
        )}
        {isLeaving && (
          <div data-part="compare-leave" role="alert">
            <span>Discard both answers and their files?</span>
            <Button look="danger" disabled={isBusy} onClick={discard}>
              Discard both
            </Button>
            <Button onClick={() => setLeaving(false)}>Go back</Button>
          </div>
        )}
        {comparison && host ? (
          <>
            <p data-part="compare-prompt">{comparison.prompt}</p>
            <div data-part="compare-sides">
              {comparison.sides.map((side) => (
                <SideView
                  key={side.name}
                  host={host}
                  side={side}
                  canKeep={!isBusy}
                  onKeep={() => keep(side.name)}
                />
              ))}
            </div>
            {!isLeaving && (
              <div data-part="providers-actions">
                <Button onClick={() => setLeaving(true)}>Keep neither</Button>
              </div>
            )}
          </>
        ) : (
          <CompareForm
            isReady={local !== undefined && !local.isExecuting() && !isBusy}
            onCompare={begin}
          />
        )}
      </div>
    </Dialog>
  );
}

/** The comparison of this dialog. Each action reports its failure as `problem`. */
function useComparison(onClose: () => void) {
  const page = usePage();
  const host = useHost();
  const { local } = useCurrentSession();
  const [comparison, setComparison] = useState<Comparison>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);

  async function attempt(work: (host: AgentHost) => Promise<void>) {
    setProblem("");
    setBusy(true);
    try {
      await work(await page.whenHost());
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      setProblem(text);
      announce(text);
    }
    setBusy(false);
  }

  const begin: CompareFormProps["onCompare"] = (prompt, sides) =>
    void attempt(async (on) => {
      if (local) setComparison(await compare(on, local, { prompt, sides }));
    });
  const keep = (name: SideName) =>
    void attempt(async (on) => {
      if (!comparison) return;
      const id = await keepSide(on, comparison, name);
      onClose();
      await page.open(id);
      announce(`Kept ${name}`);
    });
  const discard = () =>
    void attempt(async (on) => {
      await discardAll(on, comparison?.sides ?? []);
      await page.refreshSessions();
      onClose();
    });
  return { host, comparison, problem, isBusy, begin, keep, discard };
}

interface CompareFormProps {
  isReady: boolean;
  onCompare: (prompt: string, sides: readonly [SideSettings, SideSettings]) => void;
}

function CompareForm({ isReady, onCompare }: CompareFormProps) {
  const { local } = useCurrentSession();
  const mode = local?.getPermissionMode() ?? "default";
  const first = local?.getModel() ?? chosenConnection();
  const other = [...savedConnections(), OFFLINE].find(
    ({ provider }) => provider !== first.provider,
  );
  const [a, setA] = useState<SideSettings>({ ...pick(first), mode });
  const [b, setB] = useState<SideSettings>({ ...pick(other ?? first), mode });
  const [prompt, setPrompt] = useState("");

  function submit(event: FormEvent) {
    event.preventDefault();
    if (prompt.trim() !== "" && isReady) onCompare(prompt.trim(), [a, b]);
  }

  return (
    <form data-part="providers-form" onSubmit={submit}>
      <p data-part="providers-soft">
        Both answer the same prompt, each on its own copy of this session and its files. Keep one of
        them, or neither: your workspace changes only then.
      </p>
      <div data-part="providers-field">
        <label htmlFor="compare-prompt">Prompt</label>
        <textarea
          id="compare-prompt"
          rows={3}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
        />
      </div>
      <div data-part="compare-sides">
        <SideForm name="A" settings={a} onChange={setA} />
        <SideForm name="B" settings={b} onChange={setB} />
      </div>
      <div data-part="providers-actions">
        <Button type="submit" look="primary" disabled={!isReady || prompt.trim() === ""}>
          Compare
        </Button>
        <Button look="bare" onClick={() => openDialog("providers")}>
          Set up another model…
        </Button>
      </div>
    </form>
  );
}

function pick({ provider, model }: { provider: string; model: string }) {
  return { provider, model };
}

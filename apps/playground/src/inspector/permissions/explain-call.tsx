import type { InteractiveSession } from "@robota/runtime";
import { type FormEvent, type ReactNode, useState } from "react";
import { placeOf, reasonWords } from "../../tools/reason-words.ts";
import { Button } from "../../ui/button.tsx";
import { Facts, Section } from "../section.tsx";
import { problemText } from "../use-busy.ts";

type Row = readonly [name: string, value: ReactNode];

/** The answer as rows of names and values, or why there is none. */
type Answer = { rows: readonly Row[] } | { problem: string };

const decisions = new Map([
  ["auto", "Runs without asking"],
  ["approve", "Asks first"],
  ["deny", "Is denied"],
]);

/** Says what would happen to a call, without making it. */
export function ExplainCall({ session }: { session: InteractiveSession }) {
  const [call, setCall] = useState("");
  const [answer, setAnswer] = useState<Answer>();

  async function explain(event: FormEvent) {
    event.preventDefault();
    try {
      // Its rules load with the first turn otherwise.
      await session.getPermissionRules();
      const result = await session.executeCommand("permissions", `explain ${call}`);
      const { success = false, data = {}, message = "" } = result ?? {};
      setAnswer(success ? { rows: rowsOf(data) } : { problem: message });
    } catch (error) {
      setAnswer({ problem: problemText(error) });
    }
  }

  return (
    <Section title="Explain a call" note="Shows what would happen. Nothing runs.">
      <form data-part="inspector-form" onSubmit={(event) => void explain(event)}>
        <input
          aria-label="Call to explain"
          placeholder="Tool(argument)"
          required
          value={call}
          spellCheck={false}
          onChange={(event) => setCall(event.target.value)}
        />
        <Button type="submit">Explain</Button>
      </form>
      <div role="status">
        {answer && "rows" in answer && <Facts rows={answer.rows} />}
        {answer && "problem" in answer && <p data-part="inspector-problem">{answer.problem}</p>}
      </div>
    </Section>
  );
}

/** The decision on a call, with its reason: the rule, or what the mode says. */
function rowsOf(explained: Readonly<Record<string, unknown>>): Row[] {
  const text = (name: string): string => {
    const value = explained[name];
    return typeof value === "string" ? value : "";
  };
  const [decision, rule, layer] = [text("decision"), text("rule"), text("layer")];
  const outcome: Row = ["Decision", decisions.get(decision) ?? decision];
  if (!rule) return [outcome, ["Reason", reasonWords(text("reason"), text("tool"))]];
  const from: Row[] = layer ? [["From", placeOf(layer)]] : [];
  return [outcome, ["Rule", <code key="rule">{rule}</code>], ...from];
}

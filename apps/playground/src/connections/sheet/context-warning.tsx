import { useCurrentSession } from "../../state/page-context.ts";
import { formatCount } from "../../ui/format.ts";
import { CommandList } from "./check-outcome.tsx";
import { contextCommand } from "../local-servers.ts";
import type { LocalServiceId } from "../services.ts";

/** Enough for instructions, tools, a few files and an answer. */
const COMFORTABLE = 32_768;
/** The default of Ollama's documentation; it cuts the beginning off without a word. */
const OLLAMA_DEFAULT = 4096;

export interface ContextWarningProps {
  server: LocalServiceId;
  /** As the server reports it. */
  contextWindow: number | undefined;
}

/** A warning when a local server's context is too small for an agent. */
export function ContextWarning({ server, contextWindow }: ContextWarningProps) {
  const { local } = useCurrentSession();
  const { system = 0, tools = 0, memory = 0 } = local?.getContextBreakdown() ?? {};
  const fixed = system + tools + memory;
  const known = contextWindow ?? (server === "ollama" ? OLLAMA_DEFAULT : undefined);
  if (known === undefined || known >= COMFORTABLE) return null;
  const source = contextWindow === undefined ? "By default, Ollama reads" : "This model reads";
  return (
    <div data-part="providers-outcome" data-state="warn" role="note">
      <div>
        <p>
          <strong>A small context.</strong> {source} {formatCount(known)} tokens at once; this
          session's instructions and tools take about {formatCount(fixed)} of them. Start it with
          more:
        </p>
        <CommandList commands={[contextCommand(server, location.origin, COMFORTABLE)]} />
      </div>
    </div>
  );
}

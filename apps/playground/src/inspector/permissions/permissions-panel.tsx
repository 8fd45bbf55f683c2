import { usePermissionRequests, useSelected, useSession } from "@robota/react";
import { sessionStore } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import type { RuleInForce } from "@robota/runtime/permissions";
import { useEffect, useState } from "react";
import { useCurrentSession } from "../../state/page-context.ts";
import { announce } from "../../ui/announcer.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyPanel, PanelBody, Section } from "../section.tsx";
import { turnMoment } from "../turn-moment.ts";
import { type Busy, problemText, useBusy } from "../use-busy.ts";
import { ExplainCall } from "./explain-call.tsx";
import { RemotePermissions } from "./remote-permissions.tsx";
import { modeDescriptions } from "./mode-descriptions.ts";

const GRANTED = ["session", "workspace"];
const kinds: Readonly<Record<RuleInForce["kind"], string>> = {
  deny: "Deny",
  ask: "Ask",
  allow: "Allow",
};

/** The permission mode, the rules with their sources, and what earlier answers have allowed. */
export function PermissionsPanel() {
  const { local, remote } = useCurrentSession();
  if (remote) return <RemotePermissions session={remote} />;
  if (!local) return <EmptyPanel>Permissions are shown once the session is open.</EmptyPanel>;
  return <Permissions session={local} />;
}

function Permissions({ session }: { session: InteractiveSession }) {
  const { mode } = useSession(session);
  const { rules, problem, refresh } = useRules(session);
  const busy = useBusy();
  const granted = rules.filter(({ layer }) => GRANTED.includes(layer));
  const configured = rules.filter(({ layer }) => !GRANTED.includes(layer));

  async function revoke({ rule }: RuleInForce) {
    await session.revokePermission(rule);
    announce(`Revoked ${rule}`);
    refresh();
  }

  return (
    <PanelBody label="Permissions">
      {(busy.problem || problem) && (
        <p data-part="inspector-problem" role="alert">
          {busy.problem || problem}
        </p>
      )}
      <Section title="Mode" note={modeDescriptions[mode]} />
      <ExplainCall session={session} />
      <Section
        title="Allowed by you"
        note={
          granted.length === 0 && !problem
            ? "Nothing yet. “Always” on a request for approval adds a rule here."
            : undefined
        }
      >
        <Rules rules={granted} busy={busy} onRevoke={revoke} />
      </Section>
      <Section
        title="Rules"
        note={
          configured.length > 0 || problem
            ? "Deny beats ask, and ask beats allow."
            : "No rules are set."
        }
      >
        <Rules rules={configured} busy={busy} />
      </Section>
    </PanelBody>
  );
}

/** The rules in force; read again after answers, turns and changes of the mode. */
function useRules(session: InteractiveSession) {
  const [rules, setRules] = useState<readonly RuleInForce[]>([]);
  const [problem, setProblem] = useState("");
  const [revision, setRevision] = useState(0);
  const moment = useSelected(sessionStore(session), turnMoment);
  const { requests } = usePermissionRequests(session);

  useEffect(() => {
    let isCurrent = true;
    session.getPermissionRules().then(
      (found) => isCurrent && (setRules(found), setProblem("")),
      (error: unknown) => isCurrent && setProblem(problemText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [session, revision, moment, requests]);

  return { rules, problem, refresh: () => setRevision(revision + 1) };
}

interface RulesProps {
  rules: readonly RuleInForce[];
  busy: Busy;
  onRevoke?: (rule: RuleInForce) => Promise<void>;
}

function Rules({ rules, busy, onRevoke }: RulesProps) {
  if (rules.length === 0) return null;
  return (
    <ul data-part="rows">
      {rules.map((rule) => (
        <li key={`${rule.kind} ${rule.layer} ${rule.rule}`}>
          <span data-part="rule-kind" data-kind={rule.kind}>
            {kinds[rule.kind]}
          </span>
          <code data-part="row-main">{rule.rule}</code>
          <span data-part="row-note">{layerLabel(rule.layer)}</span>
          {onRevoke && (
            <Button
              look="bare"
              disabled={busy.isBusy}
              aria-label={`Revoke ${rule.rule}`}
              onClick={() => busy.run(() => onRevoke(rule))}
            >
              Revoke
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function layerLabel(layer: string): string {
  if (layer === "session") return "this session";
  if (layer === "workspace") return "this workspace";
  if (layer === "host") return "your settings";
  if (layer === "program") return "built in";
  return layer;
}

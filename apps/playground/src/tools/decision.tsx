import { useReadable, useSelected } from "@robota/react";
import { sessionStore, type SessionView, type ToolItem } from "@robota/react/store";
import type { InteractiveSession } from "@robota/runtime";
import { use, useState } from "react";
import { actions } from "../layout/actions.ts";
import { PageContext } from "../state/page-context.ts";
import type { PageState } from "../state/page-state.ts";
import { announce } from "../ui/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Exact } from "../ui/exact-text.tsx";
import { decisionWords } from "./decision-words.ts";

/** Why a call ran or did not, who decided, and the way to change that. */
export function Decision({ item }: { item: ToolItem }) {
  const page = use(PageContext);
  const { sentence, facts } = decisionWords(item) ?? { sentence: "", facts: [] };
  return (
    <>
      <p data-part="decision-sentence">{sentence}</p>
      <dl data-part="decision">
        {facts.map(({ term, text, isCode }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd dir="auto">
              {isCode ? (
                <code>
                  <Exact text={text} />
                </code>
              ) : (
                <Exact text={text} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {page && <Changes page={page} item={item} />}
    </>
  );
}

/** Actions on a decision: revoke the stored rule, and see all rules. */
function Changes({ page, item }: { page: PageState; item: ToolItem }) {
  const phase = useReadable(page.phase);
  const session = phase.kind === "ready" ? phase.session : undefined;
  const show = actions.find(({ id }) => id === "show-permissions");
  const pattern = item.decision?.pattern;
  if (!show && !(session && pattern)) return null;
  return (
    <div data-part="decision-actions">
      {session && pattern !== undefined && (
        <Revoke
          session={session}
          pattern={pattern}
          onProblem={(error) => page.reportProblem(error)}
        />
      )}
      {show && (
        <Button look="bare" onClick={() => show.run(page)}>
          Show permissions
        </Button>
      )}
    </div>
  );
}

interface RevokeProps {
  session: InteractiveSession;
  pattern: string;
  onProblem: (error: unknown) => void;
}

function Revoke({ session, pattern, onProblem }: RevokeProps) {
  const grants = useSelected(sessionStore(session), grantsOf);
  const [isRevoking, setIsRevoking] = useState(false);
  const isInForce = grants.some((grant) => grant.pattern === pattern);
  if (!isInForce) return <span data-part="tool-note">The rule is no longer in force.</span>;

  async function revoke() {
    setIsRevoking(true);
    try {
      await session.revokePermission(pattern);
      announce(`Revoked ${pattern}`);
    } catch (error) {
      onProblem(error);
    } finally {
      setIsRevoking(false);
    }
  }

  return (
    <Button disabled={isRevoking} onClick={() => void revoke()}>
      Revoke rule
    </Button>
  );
}

function grantsOf({ grants }: SessionView): SessionView["grants"] {
  return grants;
}

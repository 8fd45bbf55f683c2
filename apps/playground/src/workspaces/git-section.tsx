import { useReadable } from "@robota/react";
import { useId, useState } from "react";
import { gitProxy, privateGitServers } from "../state/git-network.ts";
import { Button } from "../ui/button.tsx";

/** Settings of the servers that `git` in the tab reaches, which take effect with a reload. */
export function GitSection() {
  const proxy = useReadable(gitProxy);
  const servers = useReadable(privateGitServers);
  const [started] = useState(`${proxy}\n${servers}`);
  const [typed, setTyped] = useState(servers);
  const hintId = useId();
  const isAddress = proxy === "" || /^https?:\/\/[^\s/]+/.test(proxy);
  const words = typed.split(/[\s,]+/).filter((word) => word !== "");
  const wrong = words.find((word) => originOf(word) === undefined);

  function change(text: string) {
    setTyped(text);
    const origins = text.split(/[\s,]+/).flatMap((word) => (word === "" ? [] : [originOf(word)]));
    // An unfinished list leaves the former one in force.
    if (!origins.includes(undefined)) privateGitServers.set(origins.join(" "));
  }

  return (
    <section data-part="workspace-section" aria-label="Git servers">
      <h3>Git servers</h3>
      <label data-part="workspace-field">
        Proxy for clone, fetch and push
        <input
          type="url"
          placeholder="https://…"
          value={proxy}
          aria-invalid={!isAddress}
          onChange={(event) => gitProxy.set(event.target.value.trim())}
        />
      </label>
      <p data-part="workspace-help">
        Most Git hosts block requests from web pages. Use a CORS proxy you trust: it can see
        everything, including passwords. Without one, git works on local files only.
      </p>
      <label data-part="workspace-field">
        Private servers, one or more
        <input
          type="text"
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="http://127.0.0.1:3000"
          value={typed}
          aria-invalid={wrong !== undefined}
          aria-describedby={hintId}
          onChange={(event) => change(event.target.value)}
        />
      </label>
      <p
        id={hintId}
        data-part="workspace-help"
        data-state={wrong === undefined ? undefined : "invalid"}
      >
        {wrong === undefined
          ? "Addresses of your own machine or network, which git may reach only when they are listed here: directly where the server allows this page, or through the proxy."
          : `${wrong} is not the address of a server. Write the scheme, the host and the port, without a path: http://127.0.0.1:3000.`}
      </p>
      {`${proxy}\n${servers}` !== started && isAddress && wrong === undefined && (
        <div data-part="workspace-actions">
          <Button onClick={() => location.reload()}>Reload to use it</Button>
        </div>
      )}
    </section>
  );
}

/** The origin that a person has written; `undefined` for anything else, such as the address of a repository. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const { origin, href } = url;
  return href === `${origin}/` ? origin : undefined;
}

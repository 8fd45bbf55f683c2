import { serverName } from "./server-name.ts";
import "./remote.css";

/** An empty conversation with a server. */
export function RemoteEmpty({ server }: { server: string }) {
  return (
    <div data-part="remote-empty">
      <h2>A session on {serverName(server)}</h2>
      <p>
        Its model, its files and its commands are the server’s, and it goes on when this page is
        closed.
      </p>
    </div>
  );
}

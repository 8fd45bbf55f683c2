import type { Availability } from "@robota/adapters-web";
import { useEffect, useState } from "react";
import { announce } from "../../ui/announcer.tsx";
import { Button } from "../../ui/button.tsx";
import { connectionTo } from "../address.ts";
import { useConnect } from "../use-connect.ts";

/** The browser's model, when this browser has one. */
export interface BrowserModel {
  availability: Availability;
  prepare: (onProgress: (fraction: number) => void, signal: AbortSignal) => Promise<void>;
}

/** Nothing while it is not known, and in browsers without a model. */
export function useBrowserModel(): BrowserModel | undefined {
  const [found, setFound] = useState<BrowserModel>();
  useEffect(() => {
    let isGone = false;
    const look = async () => {
      const { PromptApiProvider } = await import("../browser-model.ts");
      const provider = new PromptApiProvider();
      const availability = await provider.availability();
      if (isGone || availability === "unavailable") return;
      const prepare: BrowserModel["prepare"] = (onDownloadProgress, signal) =>
        provider.prepare({ onDownloadProgress, signal });
      setFound({ availability, prepare });
    };
    look().catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, []);
  return found;
}

export interface BrowserRungProps {
  found: BrowserModel;
  onDone: () => void;
}

export function BrowserRung({ found, onDone }: BrowserRungProps) {
  const connect = useConnect();
  const [progress, setProgress] = useState<number>();
  const [problem, setProblem] = useState("");
  const [download, setDownload] = useState<AbortController>();
  const [isReady, setReady] = useState(found.availability === "available");

  async function prepare() {
    const abort = new AbortController();
    setDownload(abort);
    setProblem("");
    setProgress(0);
    try {
      await found.prepare(setProgress, abort.signal);
      setReady(true);
      announce("The browser's model is ready");
    } catch (error) {
      if (!abort.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    }
    setProgress(undefined);
    setDownload(undefined);
  }

  return (
    <>
      <p>
        <strong>Experimental.</strong> It is small: it calls one tool at a time, its memory is
        short, and agents often fail with it. Nothing leaves this device.
      </p>
      {problem && (
        <p data-part="providers-problem" role="alert">
          {problem}
        </p>
      )}
      {progress !== undefined && (
        <progress aria-label="Download of the browser's model" value={progress}>
          {Math.round(progress * 100)} %
        </progress>
      )}
      <div data-part="providers-actions">
        {isReady ? (
          <Button
            look="primary"
            onClick={() => void connect(connectionTo("prompt-api", "browser")).then(onDone)}
          >
            Use the browser's model
          </Button>
        ) : download ? (
          <Button onClick={() => download.abort()}>Cancel the download</Button>
        ) : (
          <Button onClick={() => void prepare()}>Download the browser's model (large, once)</Button>
        )}
      </div>
    </>
  );
}

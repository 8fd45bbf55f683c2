import { Lock } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { announce } from "../../ui/announcer.tsx";
import { Button } from "../../ui/button.tsx";
import { keyRing } from "../keys/key-ring.ts";
import { WrongPassphrase } from "../keys/key-vault.ts";

/** Asks for the passphrase of the stored keys. */
export function UnlockForm() {
  const id = useId();
  const [problem, setProblem] = useState("");
  const [isOpening, setOpening] = useState(false);
  const [isForgetting, setForgetting] = useState(false);

  async function unlock(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const passphrase = new FormData(event.currentTarget).get("stored-passphrase");
    setOpening(true);
    setProblem("");
    try {
      await keyRing.unlock(typeof passphrase === "string" ? passphrase : "");
      announce("Keys unlocked");
    } catch (error) {
      const isWrong = error instanceof WrongPassphrase;
      setProblem(isWrong ? "That isn't the passphrase." : "The keys can't be read.");
    } finally {
      // One that is damaged stays locked, and this form with it.
      setOpening(false);
    }
  }

  return (
    <form data-part="providers-unlock" onSubmit={(event) => void unlock(event)}>
      <label htmlFor={id}>
        <Lock size={15} aria-hidden="true" /> Your stored keys are locked
      </label>
      <div data-part="providers-actions">
        <input
          id={id}
          name="stored-passphrase"
          type="password"
          autoComplete="off"
          placeholder="Passphrase"
          aria-invalid={problem !== ""}
          aria-describedby={`${id}-problem`}
        />
        <Button type="submit" look="strong" disabled={isOpening}>
          {isOpening ? "Unlocking…" : "Unlock"}
        </Button>
        {isForgetting ? (
          <Button look="danger" onClick={() => void keyRing.forgetStored()}>
            Forget all stored keys
          </Button>
        ) : (
          <Button look="bare" onClick={() => setForgetting(true)}>
            Forgot it?
          </Button>
        )}
      </div>
      <p id={`${id}-problem`} data-part="providers-problem" role="alert" hidden={problem === ""}>
        {problem}
      </p>
    </form>
  );
}

import { ObservableEventService, Robota } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { filter, from, map, take, toArray } from "rxjs";
import { expect, it } from "vitest";

it("lets RxJS subscribe to an agent's events", async () => {
  const events = new ObservableEventService();
  const names = new Promise((resolve) => {
    from(events)
      .pipe(
        map(({ name }) => name),
        filter((name) => name.startsWith("execution.")),
        take(2),
        toArray(),
      )
      .subscribe(resolve);
  });
  await new Robota({ provider: new ScriptedProvider([{ text: "hi" }]), eventService: events }).run(
    "go",
  );
  expect(await names).toEqual(["execution.start", "execution.complete"]);
});

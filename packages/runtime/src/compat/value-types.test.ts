import { expectTypeOf, it } from "vitest";
import type {
  TMetadata,
  TToolParameters,
  TUniversalMessage,
  TUniversalMessageMetadata,
  TUniversalValue,
} from "./index.ts";

it("types nested values without `any`", () => {
  const deep: TUniversalValue = { a: [1, "b", null, { c: [{ d: true }] }] };
  expectTypeOf<TUniversalValue>().not.toBeAny();
  expectTypeOf(deep).toExtend<TUniversalValue>();
  expectTypeOf<TUniversalValue[]>().toExtend<TUniversalValue>();
  expectTypeOf<{ [key: string]: TUniversalValue }>().toExtend<TUniversalValue>();
  expectTypeOf<() => void>().not.toExtend<TUniversalValue>();
  expectTypeOf<{ at: { f: () => void } }>().not.toExtend<TUniversalValue>();
  expectTypeOf<undefined>().not.toExtend<TUniversalValue>();
  expectTypeOf<symbol[]>().not.toExtend<TUniversalValue>();
});

it("types metadata of seven kinds of values, and parameters as unknown until validated", () => {
  expectTypeOf<TMetadata>().toEqualTypeOf<TUniversalMessageMetadata>();
  expectTypeOf<TMetadata[string]>().toEqualTypeOf<
    string | number | boolean | Date | string[] | number[] | Record<string, number>
  >();
  expectTypeOf<{ at: () => void }>().not.toExtend<TMetadata>();
  expectTypeOf<NonNullable<TUniversalMessage["metadata"]>>().toEqualTypeOf<TMetadata>();
  expectTypeOf<TToolParameters[string]>().toBeUnknown();
});

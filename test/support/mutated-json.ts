/** JSON like a given one, but wrong somewhere: for parsers that must take anything. The same for the same random numbers. */

/** What stands where something else should. */
const ODD: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  1.5,
  Number.NaN,
  2 ** 60,
  "",
  " ",
  "0",
  "\u0000\ud800",
  "x".repeat(5_000),
  [],
  [[]],
  {},
  { constructor: { prototype: { polluted: 1 } } },
  JSON.parse('{"__proto__": {"polluted": 1}}'),
  "__proto__",
  { toString: null },
];

type Container = unknown[] | Record<string, unknown>;

export function mutate(given: unknown, random: () => number): unknown {
  const root: { value: unknown } = { value: structuredClone(given) };
  for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes--) {
    const places = placesIn(root, []);
    const place = places[Math.floor(random() * places.length)];
    if (place) change(place.container, place.key, random, places);
  }
  return root.value;
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

function placesIn(container: Container, places: Place[]): Place[] {
  for (const key of Object.keys(container)) {
    places.push({ container, key });
    const value = (container as Record<string, unknown>)[key];
    if (typeof value === "object" && value !== null && places.length < 2_000)
      placesIn(value as Container, places);
  }
  return places;
}

function change(container: Container, key: string, random: () => number, places: readonly Place[]): void {
  const target = container as Record<string, unknown>;
  const kind = Math.floor(random() * 6);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  if (kind === 0) delete target[key];
  else if (kind === 1) target[key] = structuredClone(pick(ODD));
  else if (kind === 2) target[key] = [structuredClone(target[key])];
  else if (kind === 3) {
    // Something from elsewhere in it.
    const other = pick(places);
    const value = other && (other.container as Record<string, unknown>)[other.key];
    target[key] = JSON.stringify(value ?? null).length < 10_000 ? structuredClone(value) : null;
  } else if (kind === 4 && typeof target[key] === "string") {
    const text = target[key] as string;
    const at = Math.floor(random() * (text.length + 1));
    target[key] =
      text.slice(0, at) + String.fromCharCode(Math.floor(random() * 0x10000)) + text.slice(at + 1);
  } else if (kind === 5 && typeof target[key] === "number") {
    target[key] = (target[key] as number) * (random() < 0.5 ? -1 : 1e9);
  } else if (!Array.isArray(target)) {
    // As a property of its own, which is what JSON makes of any name.
    const name = pick(["__proto__", "extra", "0", "constructor"]) ?? "extra";
    Object.defineProperty(target, name, {
      value: structuredClone(pick(ODD)),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
}

/** Payloads that are almost right: a copy of one with a few places of it removed, replaced, moved or made poisonous. */

const ODD: readonly (() => unknown)[] = [
  () => null,
  () => undefined,
  () => true,
  () => 0,
  () => -1,
  () => 1e308,
  () => "",
  () => " ",
  () => "\u0000\u202e",
  () => "9".repeat(40),
  () => "x".repeat(5_000),
  () => [],
  () => [null, [[]]],
  () => ({}),
  () => ({ length: 3, id: [] }),
  () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
  () => JSON.parse("[".repeat(200) + "]".repeat(200)),
];

type Parent = Record<string | number, unknown>;

/** The payload is JSON; so is what comes back, but for `undefined`. */
export function mutated(payload: unknown, random: () => number): unknown {
  const root = { payload: JSON.parse(JSON.stringify(payload)) as unknown };
  const times = 1 + Math.floor(random() * 4);
  for (let n = 0; n < times; n += 1) mutateOnce(root, random);
  return root.payload;
}

function mutateOnce(root: { payload: unknown }, random: () => number): void {
  const places = placesIn(root);
  if (places.length === 0) return; // Nothing is left of it.
  const [parent, key] = pick(places, random);
  const [otherParent, otherKey] = pick(places, random);
  const change = Math.floor(random() * 5);
  if (change === 0) delete parent[key];
  else if (change === 1) parent[key] = pick(ODD, random)();
  else if (change === 2) parent[key] = structuredClone(otherParent[otherKey]);
  else if (change === 3 || Array.isArray(parent)) parent[key] = [parent[key]];
  else
    parent[pick(["__proto__", "constructor", "toString", "id", "bot", "type"], random)] = pick(ODD, random)();
}

function placesIn(value: unknown, found: [Parent, string][] = []): [Parent, string][] {
  if (typeof value !== "object" || value === null) return found;
  const parent = value as Parent;
  for (const key of Object.keys(parent)) {
    found.push([parent, key]);
    placesIn(parent[key], found);
  }
  return found;
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

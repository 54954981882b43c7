// try-page.mjs LINK: asks a running gateway for its page as a browser does: the page, all that it loads, now or later, and who is
// signed in by the link. Fails if anything of it is missing, or comes as something else than it is.
const link = new URL(process.argv[2] ?? "");
const TYPES = { js: "text/javascript", css: "text/css", svg: "image/svg+xml", png: "image/png" };
const seen = new Set();

async function text(path, type) {
  const response = await fetch(new URL(path, link));
  const told = response.headers.get("content-type") ?? "";
  if (response.status !== 200 || !told.startsWith(type))
    throw new Error(`${path}: ${response.status} ${told}, where ${type} was expected`);
  return response.text();
}

/** Whatever names a file of the page, and what those name in their turn. */
async function load(path) {
  if (seen.has(path)) return;
  seen.add(path);
  const found = await text(path, TYPES[path.split(".").at(-1)] ?? "application/manifest+json");
  const directory = path.slice(0, path.lastIndexOf("/") + 1);
  if (path.endsWith(".js"))
    for (const [, name] of found.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)) await load(directory + name);
}

const page = await text("/", "text/html");
for (const [, path] of page.matchAll(/(?:src|href)="(\/[^"]+)"/g)) await load(path);
if (!page.includes("<script") || seen.size < 10)
  throw new Error(`The page loads only ${[...seen].join(", ")}`);

const entered = await fetch(new URL("/api/enter", link), {
  method: "POST",
  headers: { "content-type": "application/json", "x-baton": "page", origin: link.origin },
  body: JSON.stringify({ key: new URLSearchParams(link.hash.slice(1)).get("key") }),
});
if (entered.status !== 200) throw new Error(`The link: ${entered.status} ${await entered.text()}`);
const cookie = entered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
const me = await fetch(new URL("/api/me", link), { headers: { cookie, "x-baton": "page" } });
const { identity } = await me.json();
if (identity !== "local:terminal") throw new Error(`Signed in as ${identity}.`);
console.log(`The page is served with ${seen.size} files, and its link signs in ${identity}.`);

// Builds the page (src/page) to the folder `web`: an index.html, one stylesheet and a few scripts, whose names have a hash of
// what is in them. What is imported lazily is a file of its own.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src", "page");

/** `folder` is made anew. Returns the modules that are inside, for their licences. */
export async function buildPage(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "assets"), { recursive: true });
  const { entry, needed, modules } = await scripts(folder);
  const style = hashed("style", styles(), "css");
  writeFileSync(join(folder, style.path), style.text);
  // The pictures are icon.svg, for those who can't show that: a browser drew them once, for iOS without its round corners.
  for (const name of ["icon.svg", "icon-512.png", "apple-touch-icon.png", "manifest.webmanifest"])
    writeFileSync(join(folder, name), readFileSync(join(source, "static", name)));
  const page = readFileSync(join(source, "index.html"), "utf8");
  const shown = page.replace("/main.tsx", `/${entry}`).replace("/style.css", `/${style.path}`);
  if (!shown.includes(entry) || !shown.includes(style.path))
    throw new Error("src/page/index.html must refer to /main.tsx and /style.css.");
  // Loaded together with the script that imports them, and not after it.
  const together = needed.map((path) => `<link rel="modulepreload" href="/${path}" />`).join("");
  const whole = shown.replace("</head>", `${together}</head>`);
  writeFileSync(join(folder, "index.html"), whole.replace(/>\s+</g, "><").trim());
  return modules;
}

async function scripts(folder) {
  const bundled = await rolldown({
    cwd: source, // The same build has the same text, whatever its folder is called.
    input: { main: "./main.tsx" },
    platform: "browser",
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    transform: {
      target: "es2022",
      define: { "process.env.NODE_ENV": '"production"' },
    },
  });
  const { output } = await bundled.write({
    dir: folder,
    minify: true,
    entryFileNames: "assets/[name]-[hash].js",
    chunkFileNames: "assets/[name]-[hash].js",
    hashCharacters: "base36",
  });
  await bundled.close();
  const entry = output.find((file) => file.type === "chunk" && file.isEntry);
  return {
    entry: entry.fileName,
    needed: entry.imports,
    modules: output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])),
  };
}

/** All of them are one, in the order of their names. */
function styles() {
  const names = readdirSync(join(source, "style")).filter((name) => name.endsWith(".css"));
  return compact(
    names
      .sort()
      .map((name) => readFileSync(join(source, "style", name), "utf8"))
      .join("\n"),
  );
}

/** Without comments, and without blanks that say nothing. Ours have no strings with such signs in them. */
function compact(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replace(/: /g, ":")
    .replace(/;}/g, "}")
    .trim();
}

function hashed(name, text, ending) {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return { path: `assets/${name}-${hash}.${ending}`, text };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildPage(process.argv[2] ?? join(root, "dist", "web"));

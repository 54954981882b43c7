// The command line and the library in few files: most of a start is opening files, and Node.js loads about 25 for
// `baton sessions list`. What is imported only when it is needed stays a file of its own.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { buildPage } from "./page.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
const INSTALLED = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));

/** npm installs the dependencies. Anything else is inside, so that it is a development package and nobody installs it. */
function isOutside(id) {
  if (/^[./]/.test(id)) return false;
  return isBuiltin(id) || INSTALLED.has(id.split("/", id.startsWith("@") ? 2 : 1).join("/"));
}

/**
 * What nearly every command loads, in three files instead of seventy: Node.js spends most of a start on opening files.
 * Each group takes along what these modules import, unless a group above has it.
 */
const GROUPS = [
  [
    "base",
    /\/(?:adapter\/platforms|config\/(?:environment|hide-environment|load|secrets)|util\/(?:command-words|output-end|redact|written))\.js$/,
  ],
  ["commands", /\/cli\/(?:run|terminal|describe|options)\.js$/],
  ["store", /\/(?:open-sessions|store\/(?:hiding-db|known-stores|sql-store))\.js$/],
].map(([name, test], place) => ({ name, test, priority: 10 - place }));

/** commander can start a program for each verb. Baton has none of these, and loading `child_process` takes its time. */
const isUnused = (id, importer) => id === "node:child_process" && importer?.includes("/commander/");
const withoutPrograms = {
  name: "without-programs",
  resolveId: (id, importer) => (isUnused(id, importer) ? "\0no-programs" : null),
  load: (id) => (id === "\0no-programs" ? "export default {}" : null),
};

/** What is imported from outside. The doors of the library share their files, so that an error is the same class at each. */
const COMMAND_LINE = { doors: ["main"], parts: "main", groups: GROUPS };
const PROCESS_HOST = { doors: ["process-host"], parts: "process-host", groups: [] };
const DOCUMENT_READER = { doors: ["document-reader"], parts: "document-reader", groups: [] };
const LIBRARY = {
  doors: ["index", "testing/index", "adapter/markdown/index"],
  parts: "lib",
  groups: [{ name: "heart", test: /\/(?:session\/(?:attachments|errors|platform|source)|util\/text)\.js$/ }],
};

/** `folder` is what TypeScript made; the doors in it are replaced. */
export async function bundle(folder) {
  const modules = [];
  for (const program of [COMMAND_LINE, PROCESS_HOST, DOCUMENT_READER, LIBRARY])
    modules.push(...(await putTogether(folder, program)));
  modules.push(...(await buildPage(join(folder, "web")))); // In place of src/web, which is inside the command line now.
  writeFileSync(join(folder, "LICENSES.txt"), licences(modules));
}

/** Returns the modules that are inside. */
async function putTogether(folder, { doors, parts, groups }) {
  const bundled = await rolldown({
    cwd: folder, // The same build has the same text, whatever its folder is called.
    input: Object.fromEntries(doors.map((door) => [door, `./${door}.js`])),
    platform: "node",
    plugins: [withoutPrograms],
    external: (id, importer) => isOutside(id) && !isUnused(id, importer),
  });
  const { output } = await bundled.write({
    dir: folder,
    chunkFileNames: `${parts}/[name]-[hash].js`,
    codeSplitting: { groups },
  });
  await bundled.close();
  return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

/** Of the packages that are inside, as they ask for: each text once, under those whose it is. */
function licences(modules) {
  const inside = modules.filter((id) => id.includes("/node_modules/"));
  const packages = [...new Set(inside.map(packageFolder))].sort().map(licenceOf);
  const owners = new Map();
  for (const { title, license, text } of packages) {
    // One of a family may leave it to the others.
    const found = text ?? packages.find((other) => other.license === license && other.text)?.text;
    if (found === undefined) throw new Error(`${title} has no licence with it, so it cannot be inside.`);
    owners.set(found, [...(owners.get(found) ?? []), `${title} (${license})`]);
  }
  return [...owners].map(([text, titles]) => `${titles.join("\n")}\n\n${text}\n`).join("\n\n");
}

function packageFolder(module) {
  let folder = dirname(module);
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/** Some packages have a package.json within, which has no version or no name. */
function isPackage(folder) {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return false;
  const { name, version } = JSON.parse(readFileSync(file, "utf8"));
  return name !== undefined && version !== undefined;
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const path = file === undefined ? ownCopy(name) : join(folder, file);
  const text = existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
  return { title: `${name} ${version}`, license, text };
}

/** A package may have left out its licence. */
function ownCopy(name) {
  return join(root, "scripts", "licences", `${name.replace("@", "").replace("/", "-")}.txt`);
}

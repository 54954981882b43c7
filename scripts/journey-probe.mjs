// For journey.mjs: every function of src/ says which file it is in, and while a message is under way that is noted. Node.js
// loads this file twice: for the program, and in the thread that loads modules.
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";
import { parseSync } from "oxc-parser";

if (isMainThread) {
  let files = null;
  globalThis.__called = (file) => files?.push(file);
  process.on("message", (word) => {
    if (word === "end") process.send(fromUpdate(files));
    files = word === "begin" ? [] : null;
  });
  process.channel?.unref();
  register(import.meta.url);
}

/** The journey begins where the update is read; what happened before is waiting. */
function fromUpdate(files) {
  return files.slice(Math.max(0, files.indexOf("adapter/telegram/parse.ts")));
}

export async function load(url, context, next) {
  const loaded = await next(url, context);
  const file = /\/src\/([^?]+\.ts)/.exec(url)?.[1];
  if (file === undefined || url.includes("/node_modules/") || loaded.source == null) return loaded;
  return { ...loaded, source: withCalls(String(loaded.source), file) };
}

function withCalls(source, file) {
  const said = `globalThis.__called?.(${JSON.stringify(file)})`;
  const inserts = [];
  const left = [parseSync("module.js", source).program];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== "object" || node === null) continue;
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) && node.body) {
      const { start, end, type } = node.body;
      if (type === "BlockStatement") inserts.push([start + 1, `${said};`]);
      else inserts.push([start, `(${said}, `], [end, ")"]);
    }
    left.push(...Object.values(node));
  }
  let text = source;
  for (const [place, added] of inserts.sort(([a], [b]) => b - a)) {
    text = text.slice(0, place) + added + text.slice(place);
  }
  return text;
}

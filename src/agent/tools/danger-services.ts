/** When commands that speak to containers and databases are dangerous, and code in other languages. */
import { has, joined, type Look } from "./danger-words.js";
import type { Word } from "./shell-words.js";

export const DATA = "deletes data in a database";
export const PUBLISHES = "publishes something for everyone";

const INTERPRETERS =
  /^(?:python[\d.]*|pypy\d*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|Rscript|osascript|tclsh|julia)$/;

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.test(name);
}

/** Code in another language, looked at for words alone. */
export function codeDanger(code: string): string | null {
  const words =
    /\bos\s*\.\s*(?:system|popen|exec\w*|spawn\w*|remove|unlink|rmdir|removedirs|kill)\b|subprocess|shutil\s*\.\s*(?:rmtree|move)|\brmtree\b|__import__|\beval\b|\bexec\w*\s*[("'`]|\bsystem\b|\bpopen\b|child_process|(?:rm|unlink|rmdir)(?:Sync)?\s*\(|\bunlink\b|base64|b64decode|\batob\b|fromCharCode|pack\s*\(|`[^`]*`|qx\b|shell_exec|passthru|rm\s+-|\bsocket\b|\.ssh\b|\.baton\b|\/etc\//;
  return words.test(code) ? "runs code that may start commands or delete files" : null;
}

export function containers(args: readonly Word[], look: Look): string | null {
  const on = (pattern: RegExp) => has(args, pattern);
  if (
    on(/^(?:prune|rmi)$/) ||
    (on(/^(?:volume|network|image|container|system|stack|swarm|secret)$/) && on(/^(?:rm|remove|leave)$/))
  )
    return "deletes containers, images or volumes";
  if (on(/^rm$/) && on(/^-[a-z]*[fv]|^--force$|^--volumes$/)) return "deletes containers, images or volumes";
  if (on(/^down$/) && on(/^-[a-z]*v|^--volumes$|^--rmi/)) return "deletes containers, images or volumes";
  if (on(/^--privileged$|^--pid=host$|^--cap-add|^--device|docker\.sock/))
    return "starts a container that can reach the whole machine";
  if (on(/^(?:-v|--volume=?)?(?:\/|~|\/(?:etc|root|home|var|usr|boot)\/?):|(?:source|src)=\/,/))
    return "starts a container that can reach the whole machine";
  if (on(/^push$/)) return PUBLISHES;
  const exec = args.findIndex(({ text }) => text === "exec" || text === "run");
  if (exec < 0) return null;
  // What runs in a container may begin at any word; what it removes there counts as elsewhere.
  for (let at = exec + 1; at < args.length; at++) {
    if (/^(?:sh|bash|ash|psql|mysql|redis-cli|dropdb)$/.test(args[at]?.text ?? ""))
      return look.words(args.slice(at));
  }
  return null;
}

export function sql(args: readonly Word[], look: Look): string | null {
  const text = `${joined(args)}\n${look.input}`;
  const drops =
    /\b(?:drop|truncate)\s+(?:table|database|schema|index|view|user|role|collection|column|if|"|`|\w)|\bdropDatabase\b|\.drop\s*\(|\bdeleteMany\s*\(\s*\{\s*\}|\.remove\s*\(\s*\{\s*\}/i;
  const everyRow =
    /\bdelete\s+from\s+[\w."`]+\s*(?:;|$)|\bupdate\s+[\w."`]+\s+set\s+(?:(?!\bwhere\b)[^;])*(?:;|$)/im;
  if (/\\!|\.shell\b|\.system\b|\bcopy\b[^;]*\bprogram\b/i.test(text))
    return "runs commands from within a database client";
  return drops.test(text) || everyRow.test(text) ? DATA : null;
}

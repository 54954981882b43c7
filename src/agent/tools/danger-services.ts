/** When commands for containers and databases are dangerous. */
import { first, has, joined, type Look, sensitiveTarget } from "./danger-words.js";
import { whySecret, whySensitive } from "./sensitive-places.js";
import type { Word } from "./shell-words.js";

export const DATA = "deletes data in a database";
export const PUBLISHES = "publishes something that others can see";

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
  const mounted = first(args, ({ text }) => {
    const [, host = ""] = /^(?:-v|--volume=?|.*(?:source|src)=)?([~/.][^:,]*)[:,]/.exec(text) ?? [];
    return host === "" ? null : (whySecret(`${host}/*`) ?? whySensitive(`${host}/`));
  });
  if (mounted) return mounted;
  if (on(/^cp$/)) return sensitiveTarget(args);
  if (on(/^push$/)) return PUBLISHES;
  const exec = args.findIndex(({ text }) => text === "exec" || text === "run");
  if (exec < 0) return null;
  // The command in a container may start at any word; files that it deletes there count as elsewhere.
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
  if (
    /\\!|\\[go]\w*\s*\||\.shell\b|\.system\b|(?:^|[;\s'"])system\s|\bcopy\b[^;]*\bprogram\b|\bwritefile\b|\breadfile\b|load_extension|\.load\b|\.(?:import|once|output)\s+["']?\||into\s+(?:out|dump)file/i.test(
      text,
    )
  )
    return "makes a database client run commands";
  return drops.test(text) || everyRow.test(text) ? DATA : null;
}

/** Whether the server has another page than this one by now: after an upgrade the parts that this one still needs are gone. */

/** The script that a page begins with has a name of its own in each build. */
const FIRST_SCRIPT = /\/assets\/main-[\w-]+\.js/;

/** `page` is the text of the page as the server has it now. A page without such a script, as of a proxy, says nothing. */
export function isAnother(page: string, ownScript: string): boolean {
  const [first] = FIRST_SCRIPT.exec(page) ?? [];
  const [own] = FIRST_SCRIPT.exec(ownScript) ?? [];
  return first !== undefined && own !== undefined && first !== own;
}

export async function isUpgraded(): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? "";
  try {
    const answer = await fetch("/", { cache: "no-store" });
    return answer.ok && isAnother(await answer.text(), own);
  } catch {
    return false; // It can't be reached.
  }
}

/** What the browser calls the page: in its tabs, in its history, and for those who hear where they are. */
import { useEffect } from "preact/hooks";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Baton`;
    return () => {
      document.title = "Baton";
    };
  }, [title]);
}

/** What only owners see. No event says that it changed, so it is read again and again while it is shown. */
import { type Loaded, useLoaded } from "../../loaded.js";
import { useFresh } from "../use-tick.js";

const OFTEN_S = 5;

export function useOwner<Value>(path: string): Loaded<Value> {
  const loaded = useLoaded<Value>(`/api/owner/${path}`, ["waiting", "session"]);
  useFresh(OFTEN_S, loaded);
  return loaded;
}

export interface ItemsOf<Item> {
  readonly items: readonly Item[];
}

/** What runs in the background: `/processes` lists it, `/processes/<id>` shows one with its output. */
import { path } from "../router.js";
import { OneProcess } from "./processes/one-process.js";
import { ProcessList } from "./processes/process-list.js";
import { partsBelow } from "./subplace.js";

export default function ProcessesView() {
  return <ProcessesAt base="/processes" />;
}

/** Owners have the same view in another place. */
export function ProcessesAt({ base }: { readonly base: string }) {
  const [id] = partsBelow(base, path.value);
  return id === undefined ? <ProcessList base={base} /> : <OneProcess key={id} id={id} base={base} />;
}

/** The jobs of the person: `/jobs` lists them, `/jobs/<id>` opens one. */
import { path } from "../router.js";
import { JobList } from "./jobs/job-list.js";
import { OneJob } from "./jobs/one-job.js";
import { partsBelow } from "./subplace.js";

export default function JobsView() {
  return <JobsAt base="/jobs" />;
}

/** Owners have the same view in another place. */
export function JobsAt({ base }: { readonly base: string }) {
  const [id] = partsBelow(base, path.value);
  return id === undefined ? <JobList base={base} /> : <OneJob key={id} id={id} base={base} />;
}

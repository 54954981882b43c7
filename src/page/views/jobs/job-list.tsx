/** All jobs that the person may see, each with what it does, when, and how its last run went. */

import { Shown, View } from "../frame.js";
import { JobCard } from "./job-card.js";
import { useJobs } from "./use-jobs.js";

export function JobList({ base }: { readonly base: string }) {
  const { value, failure, reload } = useJobs();
  return (
    <View title={base === "/jobs" ? "Jobs" : "Schedules"}>
      <Shown
        value={value}
        failure={failure}
        reload={reload}
        isEmpty={(jobs) => jobs.length === 0}
        empty={
          <>
            There are no jobs yet. Ask the agent for one, such as “Send me a digest every weekday at 9”, or
            send <code>/cron add every weekday at 9: send me a digest</code>.
          </>
        }
      >
        {(jobs) => (
          <>
            <p class="muted">
              To make a job, ask the agent for it, or send <code>/cron add &lt;when&gt;: &lt;what&gt;</code>{" "}
              in a chat.
            </p>
            <ul class="view-cards">
              {jobs.map((job) => (
                <li key={job.id}>
                  <JobCard job={job} base={base} reload={reload} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </View>
  );
}

/** What a gateway needs to run jobs. */
export interface GatewayJobs extends JobLimits {
  /** Where the results are kept as files; null for nowhere. */
  readonly outputFolder: string | null;
  /** True if this process may run them. Otherwise jobs are only made here. */
  readonly runsHere: boolean;
  /** How many runs may go on at the same time. */
  readonly mostRunning: number;
}

export interface JobLimits {
  /** The zone of a job that names no other. */
  readonly timeZone: string;
  /** How long a run may take if its job says nothing else. */
  readonly timeoutMs: number;
  /** How many jobs a person may have that are not done. */
  readonly mostPerPerson: number;
}

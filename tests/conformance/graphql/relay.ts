// Each query through Relay's runtime, with the artifacts and types that its compiler writes.
import { Environment, fetchQuery, Network, RecordSource, Store } from "relay-runtime";
import certifications from "./__generated__/callsCertificationsQuery.graphql.js";
import type { callsCertificationsQuery } from "./__generated__/callsCertificationsQuery.graphql.js";
import changes from "./__generated__/callsChangesQuery.graphql.js";
import type { callsChangesQuery } from "./__generated__/callsChangesQuery.graphql.js";
import engagement from "./__generated__/callsEngagementQuery.graphql.js";
import type { callsEngagementQuery } from "./__generated__/callsEngagementQuery.graphql.js";
import faq from "./__generated__/callsFaqQuery.graphql.js";
import type { callsFaqQuery } from "./__generated__/callsFaqQuery.graphql.js";
import glossary from "./__generated__/callsGlossaryQuery.graphql.js";
import type { callsGlossaryQuery } from "./__generated__/callsGlossaryQuery.graphql.js";
import journey from "./__generated__/callsJourneyQuery.graphql.js";
import type { callsJourneyQuery } from "./__generated__/callsJourneyQuery.graphql.js";
import manifest from "./__generated__/callsManifestQuery.graphql.js";
import type { callsManifestQuery } from "./__generated__/callsManifestQuery.graphql.js";
import project from "./__generated__/callsProjectQuery.graphql.js";
import type { callsProjectQuery } from "./__generated__/callsProjectQuery.graphql.js";
import projects from "./__generated__/callsProjectsQuery.graphql.js";
import type { callsProjectsQuery } from "./__generated__/callsProjectsQuery.graphql.js";
import status from "./__generated__/callsStatusQuery.graphql.js";
import type { callsStatusQuery } from "./__generated__/callsStatusQuery.graphql.js";
import studio from "./__generated__/callsStudioQuery.graphql.js";
import type { callsStudioQuery } from "./__generated__/callsStudioQuery.graphql.js";

declare const process: { argv: string[] };
const headers = { "content-type": "application/json" };

const network = Network.create(async ({ text }, variables) => {
  const body = JSON.stringify({ query: text, variables });
  return (await fetch(process.argv[2], { method: "POST", headers, body })).json();
});
const environment = new Environment({ network, store: new Store(new RecordSource()) });

const since = "2026-01-01T00:00:00Z";
const slug = "tidebook";
const category = "ai";

const called: Record<string, () => Promise<string | undefined>> = {
  studio: async () =>
    (await fetchQuery<callsStudioQuery>(environment, studio, {}).toPromise())?.studio.founder.name,
  projects: async () =>
    (await fetchQuery<callsProjectsQuery>(environment, projects, {}).toPromise())?.projects[0]
      .domains[0].projects[0].slug,
  project: async () =>
    (await fetchQuery<callsProjectQuery>(environment, project, { slug }).toPromise())?.project
      ?.highlights[0].value,
  status: async () =>
    (await fetchQuery<callsStatusQuery>(environment, status, {}).toPromise())?.status.asOf ??
    undefined,
  engagement: async () =>
    (await fetchQuery<callsEngagementQuery>(environment, engagement, {}).toPromise())?.engagement
      ?.scope[0],
  faq: async () => (await fetchQuery<callsFaqQuery>(environment, faq, {}).toPromise())?.faq[0].q,
  glossary: async () =>
    (await fetchQuery<callsGlossaryQuery>(environment, glossary, {}).toPromise())?.glossary[0].term,
  certifications: async () =>
    (await fetchQuery<callsCertificationsQuery>(environment, certifications, { category })
      .toPromise())?.certifications[0].title,
  changes: async () =>
    (await fetchQuery<callsChangesQuery>(environment, changes, { since }).toPromise())?.changes[0]
      .id,
  journey: async () =>
    (await fetchQuery<callsJourneyQuery>(environment, journey, {}).toPromise())?.journey[0]
      .headline,
  manifest: async () =>
    (await fetchQuery<callsManifestQuery>(environment, manifest, {}).toPromise())?.manifest
      .revision,
};

for (const [name, call] of Object.entries(called)) {
  const said = await call().catch((error: Error) => error);
  console.log(JSON.stringify({ name, held: typeof said === "string" && said !== "", said: `${said}` }));
}

// Each query through graphql-request, with the documents and types that graphql-codegen writes.
import { GraphQLClient } from "graphql-request";
import * as own from "./operations.js";

declare const process: { argv: string[] };
const client = new GraphQLClient(process.argv[2]);

const called: Record<string, () => Promise<string>> = {
  studio: async () => (await client.request(own.CallsStudioQueryDocument)).studio.founder.name,
  projects: async () =>
    (await client.request(own.CallsProjectsQueryDocument)).projects[0].domains[0].projects[0].slug,
  project: async () => {
    const answer = await client.request(own.CallsProjectQueryDocument, { slug: "tidebook" });
    return answer.project?.highlights[0].value ?? "";
  },
  status: async () => (await client.request(own.CallsStatusQueryDocument)).status.asOf ?? "",
  engagement: async () =>
    (await client.request(own.CallsEngagementQueryDocument)).engagement?.scope[0] ?? "",
  faq: async () => (await client.request(own.CallsFaqQueryDocument)).faq[0].q,
  glossary: async () => (await client.request(own.CallsGlossaryQueryDocument)).glossary[0].term,
  certifications: async () => {
    const category = "ai";
    const answer = await client.request(own.CallsCertificationsQueryDocument, { category });
    return answer.certifications[0].title;
  },
  changes: async () => {
    const since = "2026-01-01T00:00:00Z";
    return (await client.request(own.CallsChangesQueryDocument, { since })).changes[0].id;
  },
  journey: async () => (await client.request(own.CallsJourneyQueryDocument)).journey[0].headline,
  manifest: async () =>
    (await client.request(own.CallsManifestQueryDocument)).manifest.revision,
};

for (const [name, call] of Object.entries(called)) {
  const said = await call().catch((error: Error) => error);
  console.log(JSON.stringify({ name, held: typeof said === "string" && said !== "", said: `${said}` }));
}

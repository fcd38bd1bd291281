// Ten paths through the fetch client that orval writes.
import * as studio from "./orval_client.js";

async function got<Answer extends { data: unknown; status: number }>(call: Promise<Answer>): Promise<string> {
  const { data, status } = await call;
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(data)}`);
  return JSON.stringify(data);
}

const called: Record<string, () => Promise<string>> = {
  about: () => got(studio.getAbout()),
  projects: () => got(studio.listProjects()),
  project: () => got(studio.getProject("tidebook")),
  status: () => got(studio.getStatus()),
  engagement: () => got(studio.getEngagement()),
  changelog: () => got(studio.listChangelog()),
  manifest: () => got(studio.getManifest()),
  search: () => got(studio.searchContent({ query: "what does a project cost?", limit: 3 })),
  chat: () => got(studio.ask({ query: "What is Tidebook?" })),
  intent: () => got(studio.routeIntent({ goal: "write to the human" })),
};

for (const [name, call] of Object.entries(called)) {
  const said = await call().catch((error: Error) => error);
  const held = typeof said === "string" && said.length > 20;
  console.log(JSON.stringify({ name, held, said: `${said}`.slice(0, 200) }));
}

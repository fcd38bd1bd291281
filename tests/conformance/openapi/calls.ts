// Ten paths through openapi-fetch, with the types that openapi-typescript writes.
import createClient from "openapi-fetch";
import type { paths } from "./types";

declare const process: { argv: string[] };
type Forms = "application/json" | "application/problem+json";
const client = createClient<paths, Forms>({ baseUrl: process.argv[2] });

function got<Data>(answer: { data?: Data; error?: unknown }): Data {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const called: Record<string, () => Promise<string>> = {
  about: async () => got(await client.GET("/api/about")).studio.founder.name,
  projects: async () => got(await client.GET("/api/projects")).map(({ name }) => name).join(),
  project: async () => {
    const path = { slug: "tidebook" } as const;
    return got(await client.GET("/api/projects/{slug}", { params: { path } })).highlights[0].value;
  },
  "unknown project": async () => {
    const path = { slug: "no-such" as "tidebook" };
    const { error } = await client.GET("/api/projects/{slug}", { params: { path } });
    return error?.error ?? "";
  },
  status: async () => got(await client.GET("/api/status")).studio?.state ?? "",
  engagement: async () => got(await client.GET("/api/engagement")).scope[0],
  changelog: async () => {
    const query = { limit: 2 };
    return got(await client.GET("/api/changelog", { params: { query } }))[1].publishedAt;
  },
  "signed manifest": async () => got(await client.GET("/api/manifest.sig")).publicJwk.kid,
  search: async () => {
    const body = { query: "what does a project cost?", limit: 3 };
    return got(await client.POST("/api/search", { body })).results[0].title;
  },
  chat: async () => {
    const body = { query: "What is Tidebook?" };
    return got(await client.POST("/api/chat", { body })).citations[0].url;
  },
  intent: async () => {
    const query = { goal: "write to the human" };
    const data = got(await client.GET("/api/intent", { params: { query } }));
    return "recommendations" in data ? data.recommendations[0].path : "";
  },
  contact: async () => {
    const body = {
      name: "Ines Ferreira",
      email: "ines@harbour.example",
      message: "Could you review our tide forecasts in March, please?",
      dryRun: true,
    };
    return String(got(await client.POST("/api/contact", { body })).ok);
  },
};

for (const [name, call] of Object.entries(called)) {
  const said = await call().catch((error: Error) => error);
  console.log(JSON.stringify({ name, held: typeof said === "string" && said !== "", said: `${said}` }));
}

// One MCP tool behind the official SDK for TypeScript: node tools.mjs PORT FOLDER
//
// Without sessions and with plain JSON, so each request has a server and a transport of its own, as
// the SDK demands; what they may share is made once. `FOLDER/project.json` is what the tool returns.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { z } from 'zod'

const [port, folder] = process.argv.slice(2)
const project = JSON.parse(readFileSync(`${folder}/project.json`, 'utf8'))
const inputSchema = z.object({ slug: z.string() })
const jsonSchemaValidator = new AjvJsonSchemaValidator()

function server() {
  const own = new McpServer({ name: 'peer', version: '1.0.0' }, { jsonSchemaValidator })
  own.registerTool('get_project', { inputSchema }, ({ slug }) => {
    if (slug !== project.slug) throw new Error(slug)
    const text = JSON.stringify(project)
    return { content: [{ type: 'text', text }], structuredContent: project }
  })
  return own
}

createServer(async (request, response) => {
  const own = server()
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  })
  response.on('close', () => {
    transport.close()
    own.close()
  })
  await own.connect(transport)
  await transport.handleRequest(request, response)
}).listen(Number(port), '127.0.0.1')

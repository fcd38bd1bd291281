"""Discovery documents: catalogs, agent.json, robots.txt, the sitemap."""

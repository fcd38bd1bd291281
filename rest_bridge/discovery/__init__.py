"""Documents that tell machines what is here: catalogs, agent.json, robots.txt, sitemap."""

"""What the studio's GitHub account shows: fetched, converted and mirrored."""

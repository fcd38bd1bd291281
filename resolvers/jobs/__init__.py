"""Work that must survive a crash: kinds of jobs, their queue, their slots. Knows no letter."""

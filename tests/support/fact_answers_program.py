"""Prints what is answered to examples of every field and to some attacks, as JSON."""

import json
import sys
from dataclasses import asdict

from fact_answers import STUDIOS, answers_by_meaning, answers_by_words, table_of
from injections import INJECTIONS


def main(kind: str) -> None:
    """Ask both studios, with the embedder of this kind."""
    for studio in STUDIOS:
        answers = (answers_by_words if kind == "words" else answers_by_meaning)(studio)
        questions = [q for field in table_of(studio).fields for q in field.asked.questions]
        for question in [*questions[::24], *(attack.text for attack in INJECTIONS[::15])]:
            turns = (("user", questions[7]), ("assistant", "Tidebook; Harborlight; Fathom."))
            for history in ((), turns):
                answer = asdict(answers.answer(question, history))
                sys.stdout.write(f"{json.dumps(answer, sort_keys=True)}\n")


if __name__ == "__main__":
    main(sys.argv[1])

"""What finding needs: documents, sentences, words, vectors.

`resolvers/answers/entry_search.py` searches.
"""

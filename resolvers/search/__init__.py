"""What finding needs: documents, sentences, names, words, vectors.

`resolvers/answers/entry_search.py` searches.
"""

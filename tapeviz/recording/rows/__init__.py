"""From what a recorder kept to the rows of a recording: no engine, so that any framework's recorder can use it."""

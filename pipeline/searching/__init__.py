"""By meaning and by words: the two legs of search, and the judgement of what they find."""

"""From a shopper's question to a stream of answer events; knows no web framework and no engine."""

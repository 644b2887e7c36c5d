"""The machine of ETALIS: E §5 rule by rule, and the text of its language for events in `syntax`."""

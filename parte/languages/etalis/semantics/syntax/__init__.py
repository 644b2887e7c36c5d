"""The ETALIS Language for Events as text, and the streams that its programs run on."""

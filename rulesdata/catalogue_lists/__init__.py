"""Army lists of clubs that are made of a catalogue of another app, which `interchange` has read."""

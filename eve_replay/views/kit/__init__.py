"""What all views share: safe text, words, tones, keys, tables."""

"""``.everun`` files: any world in one portable file, byte for byte."""

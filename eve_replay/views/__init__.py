"""View-models: plain frozen data, the only input of command line, notebook and terminal UI."""

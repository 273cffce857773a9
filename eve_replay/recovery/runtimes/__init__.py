"""What runtimes make of a situation: one module or room per runtime, behind one protocol."""

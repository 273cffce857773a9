"""Wrong answers to lesson 8 that people really give, with the code the judge must give them."""


def as_in_eve(call):
    return "kept" if call["outcome"] else "again"


def unknown_means_never(call):
    if call["outcome"]:
        return "kept"
    return "steps" if call["durable"] else "asked"


def nothing_recorded_is_kept(call):
    return "steps" if call["durable"] else "kept"


def all_open_calls_unknown(call):
    if call["message"] == "unfinished":
        return "asked"
    return "kept" if call["outcome"] else "unknown"


def durable_first(call):
    if call["message"] == "unfinished":
        return "asked"
    if call["durable"]:
        return "steps" if call["attempts_left"] else "unknown"
    return "kept" if call["outcome"] else "unknown"


def message_not_looked_at(call):
    if call["outcome"]:
        return "kept"
    return "steps" if call["durable"] and call["attempts_left"] else "unknown"


def once_durable(call):
    if call["message"] == "unfinished":
        return "asked"
    if call["outcome"]:
        return "kept"
    return "steps" if call["attempts_left"] and (call["durable"] or call["recorded"]) else "unknown"


def for_ever(call):
    if call["message"] == "unfinished":
        return "asked"
    if call["outcome"]:
        return "kept"
    return "steps" if call["durable"] else "unknown"


def other_words(call):
    return "kept" if call["outcome"] else "retry"


def forgets_to_return(call):
    if call["outcome"]:
        return "kept"


def another_field(call):
    return "kept" if call["result"] else "unknown"


WRONG = {
    "as_in_eve": (as_in_eve, "flue-runs-again", "Flue runs it again"),
    "unknown_means_never": (unknown_means_never, "flue-not-never", "unknown means it did not happen"),
    "nothing_recorded_is_kept": (nothing_recorded_is_kept, "flue-open-kept", "keeps what is not on record"),
    "all_open_calls_unknown": (all_open_calls_unknown, "flue-durable", "forgets the durable tools"),
    "durable_first": (durable_first, "flue-kept", "runs a durable call again that has its outcome"),
    "message_not_looked_at": (message_not_looked_at, "flue-never-ran", "a call of an unfinished message"),
    "once_durable": (once_durable, "flue-withdrawn", "goes by the records, not by the deployed tool"),
    "for_ever": (for_ever, "flue-budget", "runs on when the attempts are used up"),
    "other_words": (other_words, "flue-word", "a word that is not in the table"),
    "forgets_to_return": (forgets_to_return, "flue-word", "returns nothing"),
    "another_field": (another_field, "threw", "asks for a field that is not there"),
}

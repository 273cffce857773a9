"""What to think about next, by diagnosis code and variant, in English and Chinese."""

from __future__ import annotations

from eve_replay.workshop.explain.words_told import texts

__all__ = ["NEXT"]

#: What to think about next, by diagnosis code.
NEXT = texts(
    no_key=(
        "What could both requests carry that tells {service} that they are the same wish?",
        "两个请求都带上什么，才能让{service}知道它们是同一件事？",
    ),
    no_key__no_memory=(
        "Where could the tool write down, before it acts, that it begins? It must outlive the process.",
        "工具在动手之前，可以把“开始了”记在哪里？进程死后，那个地方必须还在。",
    ),
    key_ignored=(
        "Where could the tool itself look up, before it acts, that it has been done?",
        "工具在动手之前，可以到哪里查到这件事已经做过？",
    ),
    key_changed=(
        "What is there in the second run exactly as it was in the first, and differs between two wishes?",
        "哪些东西第二次执行时和第一次完全一样，换一件事又不一样？",
    ),
    key_merged=(
        "What differs between the two wishes? That has to be in the key.",
        "这两件事有什么不同？不同之处必须放进键里。",
    ),
    key_expired=(
        "A key helps only as long as it is remembered. What lasts longer, and who could be asked first?",
        "键只在被记住的时间里有用。什么能保留得更久？动手之前可以先问谁？",
    ),
    checked_too_early=(
        "Looking and acting are two calls, and something can be on its way between them. What makes both"
        " one"
        " call?",
        "查询和动手是两次调用，两者之间可能还有请求在路上。怎样让它们变成一次调用？",
    ),
    noted_too_late=(
        "The process can die between acting and writing it down. What if the note came first, and what"
        " would it"
        " have to say?",
        "进程可能死在动手和记录之间。如果先写记录呢？那时记录该怎么写？",
    ),
    memory_lost=(
        "Which places outlive the process?",
        "哪些地方在进程死后还在？",
    ),
    pending_forever=(
        "An old claim means: begun, perhaps done. Who could find out, and what does the tool do if nobody"
        " can?",
        "旧的占位意味着：开始过，也许做完了。谁能查清楚？如果谁都查不清，工具该怎么办？",
    ),
    claimed_not_done=(
        "A claim says that somebody has begun. What says that it is done, and when is it written?",
        "占位只说明有人开始了。什么才能说明已经做完？它又该在什么时候写？",
    ),
    claim_released=(
        "When may a claim end, so that no second run can come after it?",
        "占位什么时候才可以结束？要保证在那之后不会再有第二次执行。",
    ),
    claim_ignored=(
        "set_nx answers whether this run has the claim. What does the tool do when it has not?",
        "set_nx 会回答占位是否成功。没有成功时，工具怎么做？",
    ),
    answer_lost=(
        "After a Timeout nobody knows. What makes it safe to ask once more, or who can be asked what"
        " happened?",
        "Timeout 之后谁也不知道结果。怎样才能安全地再问一次？或者可以向谁查询结果？",
    ),
    outside_a_step=(
        "Only what runs in ctx.step is recorded. Which calls have to be inside?",
        "只有在 ctx.step 里执行的才会留下记录。哪些调用必须放进去？",
    ),
    diverged=(
        "A body must take the same way each time. What in it depends on the clock, on chance or on memory?",
        "函数体每次都必须走同一条路。其中有什么取决于时钟、随机数或内存？",
    ),
    threw__mistake=(
        "It ends like this without any crash, so it is a slip in the code. Read the error, mend it, and"
        " check again.",
        "没有崩溃也会这样结束，说明代码本身有错。看看错误信息，改好再检查一次。",
    ),
    threw=(
        "Which error can come here, and what should the tool do then?",
        "这里可能出现什么错误？出现时工具该怎么做？",
    ),
    runaway=("What ends this loop when nobody else acts?", "如果没有别人动手，这个循环靠什么结束？"),
    hangs=(
        "No tool can repair this. See who can, and what stays true outside meanwhile.",
        "这不是工具能修好的。看看谁能修，以及这期间外部已经发生了什么。",
    ),
    person_not_needed=(
        "When does the tool really not know? Only then somebody has to look.",
        "工具什么时候才真的不知道？只有那时才需要有人去看。",
    ),
    not_asked_for=(
        "Compare it with input: which value does not come from there?",
        "和 input 比较一下：哪个值不是从那里来的？",
    ),
    wrong_answer=("Compare the result with what was asked for.", "把结果和要求对照一下。"),
    other_deed=("Compare the call with input.", "把调用和 input 对照一下。"),
    other_deed__lacks=(
        "Pass it on: `{name}=...` in the call.",
        "把它一起传出去：调用时加上 `{name}=...`。",
    ),
    other_deed__differs=(
        "Compare the call with input: where does this {name} come from?",
        "把调用和 input 对照一下：这个 {name} 是从哪里来的？",
    ),
    not_done=(
        "Follow the last run line by line: what kept it from acting?",
        "逐行跟踪最后一次执行：是什么让它没有动手？",
    ),
    not_protected=(
        "What could the second run have seen of the first?",
        "第二次执行本来可以看到第一次留下的什么？",
    ),
)

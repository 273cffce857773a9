"""Why it failed, by diagnosis code and variant, in English and Chinese."""

from __future__ import annotations

from eve_replay.workshop.explain.words_told import texts

__all__ = ["WHY"]

#: What made it fail, by diagnosis code and variant.
WHY = texts(
    no_key=(
        "{Two} carried no key, so {service} took them for two different requests.",
        "{two}都没有带键，所以{service}把它们当成了两个不同的请求。",
    ),
    no_key__same_run=(
        "The tool sent it twice in one run, without a key: {service} took that for two different requests.",
        "工具在同一次执行里发了两次，都没有带键：{service}把它们当成了两个不同的请求。",
    ),
    no_key__no_memory=(
        "{Service} remembers nothing and looks at no key, and the tool had written nothing down before it"
        " acted: the second run could not know of {first_id}.",
        "{service}什么也不记，也不认键，而工具在动手之前没有写下任何东西：第二次执行无从知道 {first_id}。",
    ),
    key_ignored=(
        "{Two} carried the same key, {first_key}, but {service} does not look at keys. Whether it was done"
        " before has to be known somewhere else.",
        "{two}带的是同一个键 {first_key}，但{service}不认键。是否做过，只能靠别处的记录。",
    ),
    key_changed=(
        "{Two} carried different keys, {first_key} and {second_key}: the tool made another key when it ran"
        " again.",
        "{two}带的键不同：{first_key} 和 {second_key}。工具重新执行时又生成了一个新键。",
    ),
    key_changed__call_id=(
        "{Two} carried different keys, {first_key} and {second_key}, because the model was asked again"
        " and gave"
        " the call a new id.",
        "{two}带的键不同：{first_key} 和 {second_key}，因为再问模型时，它给这次调用换了新的 id。",
    ),
    key_changed__time=(
        "{Two} carried different keys, {first_key} and {second_key}: there is a time in the key, and the"
        " second"
        " run came {between} later.",
        "{two}带的键不同：{first_key} 和 {second_key}。键里有时间，而第二次执行晚了 {between}。",
    ),
    key_changed__place=(
        "{Two} carried different keys, {first_key} and {second_key}: asked again, the model put the call in"
        " another place, and the key holds the place.",
        "{two}带的键不同：{first_key} 和 {second_key}。再问模型时，它把这个调用放到了别的位置，"
        "而键里含有位置。",
    ),
    key_changed__other_answer=(
        "{Two} carried different keys, {first_key} and {second_key}: asked again, the model answered in"
        " other"
        " words, and the key was made of them.",
        "{two}带的键不同：{first_key} 和 {second_key}。再问模型时，它换了说法，而键正是用这些文字拼的。",
    ),
    key_changed__memory=(
        "{Two} carried different keys, {first_key} and {second_key}: the key was kept in the memory of"
        " process"
        " {first_process}, which died.",
        "{two}带的键不同：{first_key} 和 {second_key}。"
        "键只存在进程 {first_process} 的内存里，而这个进程死了。",
    ),
    key_changed__retry=(
        "No answer came, and the tool sent it again with another key: {first_key}, then {second_key}. To"
        " {service} these are two different requests.",
        "没有收到回答，工具换了一个键重发：先是 {first_key}，后是 {second_key}。对{service}来说，"
        "这是两个不同的请求。",
    ),
    key_changed__row=(
        "The outbox holds two rows for it, {first_key} and {second_key}: the step ran again and wrote a"
        " row with"
        " another id.",
        "同一件事，发件箱里有两行：{first_key} 和 {second_key}。这一步重新执行时又写入了一行，id 不同。",
    ),
    key_changed__claim=(
        "Both runs claimed before they acted, but under different names: {first_key} and {second_key}.",
        "两次执行都先占了位，但名字不同：{first_key} 和 {second_key}。",
    ),
    key_changed__claim_call_id=(
        "Both runs claimed before they acted, but under different names, {first_key} and {second_key},"
        " because"
        " the model gave the call a new id.",
        "两次执行都先占了位，但名字不同：{first_key} 和 {second_key}，因为模型给这次调用换了新的 id。",
    ),
    key_merged=(
        "Two different deeds came with one key, {key}. {Service} took the second one for a repeat of"
        " {other} and"
        " did nothing.",
        "两件不同的事用了同一个键 {key}。{service}以为第二件只是“{other}”的重复，什么也没做。",
    ),
    key_merged__refused=(
        "Two different deeds came with one key, {key}. {Service} saw another request under it and refused.",
        "两件不同的事用了同一个键 {key}。{service}发现，上次带这个键的是另一个请求，于是拒绝。",
    ),
    key_merged__claim=(
        "Two different deeds used one claim, {key}: it belonged to {other}, so the second one was never"
        " done.",
        "两件不同的事用了同一个占位 {key}：它属于“{other}”，所以第二件始终没有做。",
    ),
    key_expired=(
        "Both requests carried the same key, {first_key}, but the second one came {after} after the first."
        " {Service} remembers a key for {hours}.",
        "两个请求带的是同一个键 {first_key}，但第二个晚了 {after}，而{service}的键只记 {hours}。",
    ),
    checked_too_early=(
        "Process {looked_process} looked ({where}, at {looked_at}) and found nothing: the request that"
        " process {first_process} had sent at {sent_at} was still on its way. It was carried out {landed}.",
        "进程 {looked_process} 在第 {looked_at}查询过（{where}），没有查到："
        "进程 {first_process} 在第 {sent_at}发出的请求还在路上，{landed}才被执行。",
    ),
    noted_too_late=(
        "Process {looked_process} looked for its note ({note}) and found nothing: the note is written after"
        " acting, and process {first_process} died between the two.",
        "进程 {looked_process} 去找自己的记录（{note}），没有找到：记录是做完之后才写的，"
        "而进程 {first_process} 正好死在两者之间。",
    ),
    memory_lost=(
        "What was done was noted in the memory of process {first_process}. It died, and process"
        " {second_process} knew nothing of {first_id}.",
        "做过的事只记在进程 {first_process} 的内存里。这个进程死了，"
        "进程 {second_process} 对 {first_id} 一无所知。",
    ),
    pending_forever=(
        "Process {owner} claimed {claim} and died before it was done. Process {looked_process} found the"
        " claim"
        " ({value}) and left it there: nobody does it, and nobody is told.",
        "进程 {owner} 用 {claim} 占了位，没做完就死了。进程 {looked_process} 看到占位（{value}）就不管了："
        "没有人去做，也没有人知道。",
    ),
    pending_forever__waits=(
        "Process {owner} claimed {claim} and died before it was done. Process {looked_process} waits for"
        " the"
        " claim ({value}) to change, which nobody will ever do.",
        "进程 {owner} 用 {claim} 占了位，没做完就死了。进程 {looked_process} 一直等占位（{value}）变化，"
        "可再也没有人会改它。",
    ),
    pending_forever__unnamed=(
        "Process {owner} claimed {claim} and died before it was done. Process {looked_process} found the"
        " claim ({value}) and told a person {told}, which does not say what it is about: nobody can look.",
        "进程 {owner} 用 {claim} 占了位，没做完就死了。进程 {looked_process} 看到占位（{value}），"
        "通知人工时只说了 {told}：没写明是哪一件，人也无从查起。",
    ),
    claimed_not_done__noted_first=(
        "Process {owner} wrote {value} to {claim} before it had acted, and died between the two. Process"
        " {looked_process} believed the note.",
        "进程 {owner} 还没动手就先在 {claim} 写下了 {value}，然后死在两者之间。"
        "进程 {looked_process} 相信了这条记录。",
    ),
    claimed_not_done=(
        "Process {owner} claimed {claim} and died before it acted. Process {looked_process} found the"
        " claim and"
        " took it for the deed itself.",
        "进程 {owner} 用 {claim} 占了位，还没动手就死了。"
        "进程 {looked_process} 看到占位，就当作事情已经做完。",
    ),
    claim_released=(
        "The claim {claim} was gone when process {second_process} came, so it could claim and act again.",
        "进程 {second_process} 来时，占位 {claim} 已经没了，于是它又占位、又做了一遍。",
    ),
    claim_released__deleted=(
        "Process {released_process} deleted the claim {claim}, so it was free again: process"
        " {second_process} claimed it anew and acted once more.",
        "进程 {released_process} 删掉了占位 {claim}，位子又空了："
        "进程 {second_process} 重新占位，又做了一遍。",
    ),
    claim_released__ran_out=(
        "The claim {claim} was made for {seconds}. Process {second_process} came {between} after the first"
        " deed, when it had run out, and acted again.",
        "占位 {claim} 只保留 {seconds}。第一次做完 {between}后，进程 {second_process} 才来，占位已到期，"
        "于是又做了一遍。",
    ),
    claim_ignored=(
        "Process {second_process} found the claim {claim} taken ({value}), and acted all the same.",
        "进程 {second_process} 看到 {claim} 的位子已被占（{value}），但还是做了。",
    ),
    answer_lost=(
        "No answer came from {service}, which can mean done or not done. The tool sent it again, and"
        " {service}"
        " took that for another request.",
        "{service}没有回答，这既可能是做了，也可能是没做。工具又发了一次，{service}把它当成了另一个请求。",
    ),
    answer_lost__gave_up=(
        "No answer came from {where}, which can mean done or not done. The tool took it for one of them.",
        "{where} 没有回答，这既可能是做了，也可能是没做。工具却认定了其中一种。",
    ),
    outside_a_step=(
        "The workflow body acts outside a step. After every crash and every wait the body is replayed from"
        " its start, so it acts again each time.",
        "工作流的函数体在步骤之外动手了。每次崩溃或等待之后，函数体都会从头重放，所以每次都会再做一遍。",
    ),
    diverged=(
        "Replayed from its start, the workflow body asked for {asked}, while the record has {recorded}"
        " there.",
        "从头重放时，工作流的函数体要求的是 {asked}，而记录里这个位置是 {recorded}。",
    ),
    diverged__ended=(
        "Replayed from its start, the workflow body ended early: the record has {recorded} there.",
        "从头重放时，工作流的函数体提前结束，而记录里后面还有 {recorded}。",
    ),
    threw=("The tool ended with an error: {error}.", "工具抛出错误：{error}。"),
    threw__timeout=(
        "No answer came from {where}. The tool let the Timeout through, so the model is told of an error,"
        " and"
        " nobody knows whether it was done.",
        "{where} 没有回答。工具没有处理 Timeout，模型只知道出了错，没有人知道事情做没做。",
    ),
    threw__unique=(
        "The row was there already, and the tool let the UniqueViolation through: the model is told of an"
        " error, though the row is there.",
        "这一行早已存在，而工具没有处理 UniqueViolation：行明明在，模型却只知道出了错。",
    ),
    threw__body=(
        "The same key, {key}, came with another request the second time ({body}, before: {other}), so it"
        " was"
        " refused. What changes from run to run does not belong into the request.",
        "同一个键 {key} 第二次带的请求不同（{body}，之前是 {other}），因此被拒绝。"
        "每次执行都会变的内容，不该放进请求。",
    ),
    runaway=(
        "The tool called {where} again and again, {count} times in one run.",
        "工具在一次执行里反复调用 {where}，共 {count} 次。",
    ),
    hangs=(
        "The process died inside the commit, and what was written by then blocks every later start.",
        "进程死在提交中途，已写下的内容挡住了之后的每次启动。",
    ),
    hangs__no_answer=(
        "The run asks a person, and nobody answers.",
        "运行在等人回答，而没有人回答。",
    ),
    person_not_needed=(
        "A person was told of {subject} although nothing had gone wrong in that step: no crash, no lost"
        " answer.",
        "那一步没有出任何问题（没有崩溃，也没有丢失回答），却为 {subject} 通知了人工。",
    ),
    person_not_needed__noted=(
        "A person was told of {subject} although the store could say it: under {note} it holds {value},"
        " written after the deed.",
        "存储里明明查得到，却为 {subject} 通知了人工：{note} 的值是 {value}，是做完之后写下的。",
    ),
    not_asked_for=(
        "Nobody asked for this {effect}: {what}.",
        "没有人要求做这件事（{effect}）：{what}。",
    ),
    wrong_answer=("The result is not what was asked for.", "结果与要求不符。"),
    not_done=(
        "The tool did not act in the run that counts.",
        "在算数的那次执行里，工具没有动手。",
    ),
    not_done__said_done=(
        "The tool says that it is done ({result}), but it never acted.",
        "工具说已经完成（{result}），其实从未动手。",
    ),
    not_done__took_another=(
        "The tool looked ({where}) and found {other_id}. That is {other}: it took it for this one, and did"
        " not act.",
        "工具查询过（{where}），查到 {other_id}。那其实是“{other}”：工具把它当成了这一件，于是没有动手。",
    ),
    other_deed=(
        "The tool acted, but what it did does not say that it is this.",
        "工具确实动手了，但看不出做的就是这件事。",
    ),
    other_deed__lacks=(
        "The tool acted: there is {id} ({effect}). But nothing in it says for which {name} it is, so nobody"
        " can tell that {wanted} is done.",
        "工具确实动手了：账本里有 {id}（{effect}）。但里面没有写明 {name}，谁也看不出它就是 {wanted}。",
    ),
    other_deed__differs=(
        "The tool acted: there is {id} ({effect}). But it has {name} {got}, and {wanted} was asked for.",
        "工具确实动手了：账本里有 {id}（{effect}）。但它的 {name} 是 {got}，而要求的是 {wanted}。",
    ),
    not_done__not_run_again=(
        "The process died in the call, and this runtime does not run an interrupted call again: its"
        " outcome stays"
        " unknown.",
        "进程死在调用中途，而这种策略不会重新执行被中断的调用：结果一直未知。",
    ),
    not_done__never_acted=(
        "The tool ended without acting.",
        "工具没有动手就结束了。",
    ),
    not_done__dormant=(
        "In this environment nothing takes a run up again after a crash.",
        "在这个环境里，崩溃之后不会有谁接手这个运行。",
    ),
    not_protected=(
        "The second run did not know of {first_id}, and nothing on the way stopped it.",
        "第二次执行不知道 {first_id}，也没有什么拦住它。",
    ),
    not_protected__looked_elsewhere=(
        "Process {looked_process} looked before it acted, but for something else ({for}): it could not find"
        " {first_id}.",
        "进程 {looked_process} 动手前查过，但查的是别的（{for}），所以查不到 {first_id}。",
    ),
)

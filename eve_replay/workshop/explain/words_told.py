"""The sentences of a story, in English and Chinese: what happens, moment by moment."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.model import Text

__all__ = ["TOLD", "texts"]


def texts(**texts: tuple[str, str]) -> Mapping[str, Text]:
    """Sentences by name: ``a__b`` is ``a:b``, ``a_b`` is ``a-b``."""
    return MappingProxyType(
        {
            name.rstrip("_").replace("__", ":").replace("_", "-"): Text(en, zh)
            for name, (en, zh) in texts.items()
        }
    )


#: What happens, one idea per sentence.
TOLD = texts(
    # the model
    asks=(
        "Process {process} runs {step}: the model asks for {asks}.",
        "进程 {process} 执行{step}：模型要求调用 {asks}。",
    ),
    asks_further=("It runs {step}: the model asks for {asks}.", "接着执行{step}：模型要求调用 {asks}。"),
    asks_inside=(
        "Still in the same step the model asks for {asks}.",
        "还在同一步里，模型又要求调用 {asks}。",
    ),
    again_here=(
        "It runs {step} again from the start: the model is asked again.",
        "它从头重新执行{step}：又问了一次模型。",
    ),
    asking=("Process {process} runs {step} and asks the model.", "进程 {process} 执行{step}，向模型提问。"),
    closing=(
        "Process {process} runs {step}: the model says that it is done.",
        "进程 {process} 执行{step}：模型说完成了。",
    ),
    again_same=(
        "{later} process {process} runs {step} again from the start: the model is asked again and gives"
        " the same"
        " answer, with the same call id {calls}.",
        "{later}进程 {process} 从头重新执行{step}：再问模型，回答和上次一样，调用 id 也一样：{calls}。",
    ),
    again_new=(
        "{later} process {process} runs {step} again from the start: the model is asked again and gives"
        " the call"
        " the new id {calls}.",
        "{later}进程 {process} 从头重新执行{step}：再问模型，它给这次调用换了新的 id：{calls}。",
    ),
    again_new_many=(
        "{later} process {process} runs {step} again from the start: the model is asked again and gives the"
        " calls new ids.",
        "{later}进程 {process} 从头重新执行{step}：再问模型，它给每个调用都换了新的 id。",
    ),
    again_same_many=(
        "{later} process {process} runs {step} again from the start: the model is asked again and gives"
        " the same"
        " answer, with the same call ids.",
        "{later}进程 {process} 从头重新执行{step}：再问模型，回答和上次一样，调用 id 也都一样。",
    ),
    again_other=(
        "{later} process {process} runs {step} again from the start: the model is asked again and answers"
        " something else: {asks}.",
        "{later}进程 {process} 从头重新执行{step}：再问模型，这次的回答不同：{asks}。",
    ),
    again_order=(
        "{later} process {process} runs {step} again from the start: the model is asked again and asks for"
        " the same in another order: {asks}.",
        "{later}进程 {process} 从头重新执行{step}：再问模型，它要求的调用相同，但顺序变了：{asks}。",
    ),
    again_asks=(
        "{later} process {process} runs {step} from the start: the model is asked and asks for {asks}.",
        "{later}进程 {process} 从头执行{step}：模型要求调用 {asks}。",
    ),
    again_closing=(
        "{later} process {process} runs {step} again: the model says that it is done.",
        "{later}进程 {process} 重新执行{step}：模型说完成了。",
    ),
    again_asking=(
        "{later} process {process} runs {step} again from the start and asks the model.",
        "{later}进程 {process} 从头重新执行{step}，向模型提问。",
    ),
    goes_on=("{later} process {process} goes on.", "{later}进程 {process} 继续。"),
    starts=("{later} process {process} starts.", "{later}进程 {process} 启动。"),
    starts_first=("Process 1 starts.", "进程 1 启动。"),
    stuck=(
        "{later} process {process} starts, and cannot go on: what the journal holds lets it neither run the"
        " step nor take it as done.",
        "{later}进程 {process} 启动，但无法继续：照日志的内容，这一步既不能执行，也不能算完成。",
    ),
    later=("{time} later", "{time}后，"),
    later_lease=(
        "{time} later, when the lease of the dead process has run out,",
        "{time}后，前一个进程的租约到期，",
    ),
    replayed=(
        "{step} is answered from its record; nothing of it runs.",
        "{step}直接用记录里的结果，不再执行。",
    ),
    replayed_call=(
        "The call of {tool} has returned before: its recorded result is used.",
        "对 {tool} 的调用之前已经返回：直接用记录里的结果。",
    ),
    not_run_again=(
        "The interrupted call of {tool} is not run again: the model is told that its outcome is unknown.",
        "被中断的 {tool} 调用不再执行：告诉模型，结果未知。",
    ),
    replayed_name=(
        "The step {name} is answered from its record; nothing of it runs.",
        "步骤 {name} 直接用记录里的结果，不再执行。",
    ),
    dormant=(
        "In this environment nothing takes the run up again by itself.",
        "在这个环境里，不会有谁自动接手这个运行。",
    ),
    wedged=(
        "The step ran again, but it cannot be committed: the lock of the dead process is in the way.",
        "这一步又执行了一遍，但无法提交：前一个进程留下的锁挡着它。",
    ),
    tool=("It calls {call}.", "它调用 {call}。"),
    runs_body=(
        "Process {process} runs the workflow {call} from its start.",
        "进程 {process} 从头执行工作流 {call}。",
    ),
    replays=(
        "Process {process} replays the body from its start.",
        "进程 {process} 从头重放函数体。",
    ),
    replays_later=(
        "{later} process {process} replays the body from its start.",
        "{later}进程 {process} 从头重放函数体。",
    ),
    runs_step=("It runs the step {name}.", "它执行步骤 {name}。"),
    runs_step_again=("It runs the step {name} again.", "它重新执行步骤 {name}。"),
    threw_step=(
        "The step ends with an error and will be tried again: {error}.",
        "这一步出错，将会重试：{error}。",
    ),
    sleeps=(
        "The run parks for {time}; meanwhile it needs no process.",
        "运行挂起 {time}，其间不需要进程。",
    ),
    sleeps_on=("The run stays parked for another {time}.", "运行继续挂起 {time}。"),
    slept=("The time of the wait is over already.", "等待的时间早已过去。"),
    another_way=(
        "The body asks for {found} here, while the record has {recorded}.",
        "函数体在这里要求 {found}，而记录里是 {recorded}。",
    ),
    ends_early=(
        "The body ends here, while the record still has {recorded}.",
        "函数体到这里就结束了，而记录里后面还有 {recorded}。",
    ),
    no_answer=("Nobody answers.", "没有人回答。"),
    returned=("The tool returns: {result}.", "工具返回：{result}。"),
    returned_nothing=("The tool returns nothing.", "工具没有返回内容。"),
    threw=("The tool ends with an error: {error}.", "工具抛出错误：{error}。"),
    bad_request=("The request is refused: {why}.", "请求被拒绝：{why}。"),
    pause=("The tool waits {time}.", "工具等待 {time}。"),
    note=("The tool notes: {text}.", "工具记下：{text}。"),
    slip_line=("It is line {line}: `{code}`.", "出错的是第 {line} 行：`{code}`。"),
    slip_line_only=("It is line {line}.", "出错的是第 {line} 行。"),
    slip_meant=("Did you mean `{meant}`?", "是不是想写 `{meant}`？"),
    slip_can=("There is: {can}.", "有这些：{can}。"),
    printed=("It prints: {text}", "它打印：{text}"),
    commit=("The step is about to be committed.", "这一步即将提交。"),
    committed=("{step} is committed.", "{step}已提交。"),
    asked=("A person is asked: {text}.", "它请人确认：{text}。"),
    told=("The person answers: {text}.", "人回答：{text}。"),
    # calls
    charge=("It sends charge({order}, {cents}) {keyed}.", "它发送 charge({order}, {cents})，{keyed}。"),
    refund=("It sends refund({id}) {keyed}.", "它发送 refund({id})，{keyed}。"),
    reserve=("It sends reserve({item}, {count}) {keyed}.", "它发送 reserve({item}, {count})，{keyed}。"),
    send=("It sends the mail {subject} to {to} {keyed}.", "它给 {to} 发邮件 {subject}，{keyed}。"),
    charge_plain=("It sends charge({order}, {cents}).", "它发送 charge({order}, {cents})。"),
    refund_plain=("It sends refund({id}).", "它发送 refund({id})。"),
    reserve_plain=("It sends reserve({item}, {count}).", "它发送 reserve({item}, {count})。"),
    send_plain=("It sends the mail {subject} to {to}.", "它给 {to} 发邮件 {subject}。"),
    with_key=("with key {key}", "键是 {key}"),
    without_key=("without a key", "不带键"),
    with_request=("with request id {key}", "请求 id 是 {key}"),
    without_request=("without a request id", "不带请求 id"),
    find=("It asks the provider for charges with {what}.", "它向支付服务查询 {what} 的扣款。"),
    find_all=("It asks the provider for all charges.", "它向支付服务查询所有扣款。"),
    lookup=("It asks whether request {key} was carried out.", "它查询：请求 {key} 是否已经执行。"),
    set_nx=(
        "It claims {key} in the store, with the value {value}.",
        "它在存储里用 {key} 占位，值为 {value}。",
    ),
    get=("It reads {key} in the store.", "它读取存储里的 {key}。"),
    set=("It writes {value} to {key} in the store.", "它把 {value} 写到存储的 {key}。"),
    delete=("It deletes {key} in the store.", "它删除存储里的 {key}。"),
    incr=("It counts {key} in the store up by 1.", "它把存储里的 {key} 加 1。"),
    insert=("It inserts a row into {table}: {what}.", "它向表 {table} 插入一行：{what}。"),
    select=("It looks for rows of {table} with {what}.", "它在表 {table} 里查找 {what} 的行。"),
    select_all=("It looks for all rows of {table}.", "它读取表 {table} 的所有行。"),
    update=("It changes rows of {table}: {what}.", "它修改表 {table} 的行：{what}。"),
    transaction=("It commits a transaction: {what}.", "它提交一个事务：{what}。"),
    tell=("It tells a person: {subject}.", "它通知人工：{subject}。"),
    other_call=("It calls {call}.", "它调用 {call}。"),
    # the same, when the process dies before it
    about_to=("It is about to call {call}.", "它正要调用 {call}。"),
    # what the outside does
    charged=("The provider charges: {id}.", "支付服务扣款：{id}。"),
    charged_key=(
        "The provider does not know this key and charges: {id}.",
        "支付服务不认识这个键，于是扣款：{id}。",
    ),
    charged_ignored=(
        "The provider does not look at keys and charges: {id}.",
        "支付服务不认键，于是扣款：{id}。",
    ),
    forgot=(
        "{Service} has forgotten the key: it came {after} ago, and keys are remembered for {hours}.",
        "{service}已经忘了这个键：键是 {after}前来的，而它只记 {hours}。",
    ),
    replayed_key=(
        "{Service} knows the key and answers with {id} again; nothing more is done.",
        "{service}认识这个键，再次回答 {id}，不再执行。",
    ),
    key_reused=(
        "{Service} refuses: the key came before with another request ({first}).",
        "{service}拒绝：上次带这个键的是另一个请求（{first}）。",
    ),
    refunded=("The provider gives {charge} back: {id}.", "支付服务退还 {charge}：{id}。"),
    found=("It finds {ids}.", "查到 {ids}。"),
    found_none=("It finds none.", "没有查到。"),
    found_rows=("It finds {rows}.", "查到 {rows}。"),
    claimed=("The claim is new, so it has it.", "此前没有占位，占位成功。"),
    claimed_ran_out=("The claim of before has run out, so it has it.", "之前的占位已到期，占位成功。"),
    taken=(
        "It is taken already: {value}, set {since} before.",
        "位子已被占：{value}，是 {since}前写的。",
    ),
    got=("It holds {value}.", "值为 {value}。"),
    got_none=("There is nothing.", "里面什么都没有。"),
    got_ran_out=("There is nothing: the value has run out.", "里面什么都没有：原来的值已到期。"),
    counted=("It is {value} now.", "现在是 {value}。"),
    violated=(
        "The database refuses: such a row is there already.",
        "数据库拒绝：这样的行已经存在。",
    ),
    updated_none=("No row fits.", "没有符合条件的行。"),
    sent=("The mail goes out: {id}.", "邮件发出：{id}。"),
    sent_outbox=(
        "The outbox worker carries out the row {id}.",
        "发件箱的发送程序执行了 {id} 这一行。",
    ),
    reserved=("The upstream service reserves: {id}.", "上游服务预订：{id}。"),
    known=("They know of it already.", "人已经知道这件事。"),
    landed_key=(
        "The request of process {process} with this key is still on its way: {service} carries it out first.",
        "进程 {process} 带这个键的请求还在路上：{service}先执行它。",
    ),
    landed_late=(
        "Only now the request of process {process} is carried out.",
        "直到这时，进程 {process} 的请求才被执行。",
    ),
    landed_waited=(
        "By now the request of process {process} has been carried out.",
        "这时，进程 {process} 的请求已经被执行。",
    ),
    landed_away=(
        "The request of process {process} is carried out while nobody is there.",
        "进程 {process} 的请求在没有进程运行时被执行。",
    ),
    landed_end=(
        "At last the request of process {process} is carried out.",
        "到了最后，进程 {process} 的请求才被执行。",
    ),
    # faults
    dies_model=(
        "Process {process} dies while it waits for the model.",
        "进程 {process} 在等待模型时死了。",
    ),
    dies_before=("Process {process} dies before it is sent.", "进程 {process} 在发出之前死了。"),
    dies_in_flight=(
        "Process {process} dies while the request is on its way.",
        "请求还在路上，进程 {process} 死了。",
    ),
    dies_after=(
        "Process {process} dies before the answer arrives.",
        "进程 {process} 在收到回答之前死了。",
    ),
    dies_pause=("Process {process} dies while the tool waits.", "工具等待时，进程 {process} 死了。"),
    dies_returned=(
        "Process {process} dies when the tool has returned.",
        "工具刚返回，进程 {process} 死了。",
    ),
    dies_returned_step=(
        "Process {process} dies when the function of the step has returned.",
        "步骤的函数刚返回，进程 {process} 死了。",
    ),
    dies_returned_body=(
        "Process {process} dies when the body has returned.",
        "函数体刚返回，进程 {process} 死了。",
    ),
    dies_commit=(
        "Process {process} dies before the step is committed.",
        "进程 {process} 在这一步提交之前死了。",
    ),
    dies_commit_lock=(
        "Process {process} dies inside the commit: its lock is written, its record is not.",
        "进程 {process} 在提交中途死了：锁已写入，记录还没有写。",
    ),
    dies_commit_record=(
        "Process {process} dies inside the commit: lock and record are written, the event is not.",
        "进程 {process} 在提交中途死了：锁和记录已写入，事件还没有写。",
    ),
    dies_committed=(
        "Process {process} dies right after that commit.",
        "进程 {process} 刚提交完就死了。",
    ),
    dies_parked=("Process {process} dies while the run is parked.", "运行挂起期间，进程 {process} 死了。"),
    dies_waiting=(
        "Process {process} dies while it waits for the person.",
        "进程 {process} 在等人回答时死了。",
    ),
    dies_other=("Process {process} dies.", "进程 {process} 死了。"),
    nothing_committed=("Nothing of the step is committed.", "这一步什么也没有提交。"),
    lost=("The answer is lost: the tool gets a Timeout.", "回答丢失：工具收到 Timeout。"),
    refused=(
        "The request does not arrive: the tool gets a Timeout all the same.",
        "请求没有到达：工具同样收到 Timeout。",
    ),
    so_on=("It goes on like this, {count} more times.", "如此又重复了 {count} 次。"),
    # how it comes out
    twice=("{deed} was {done} {times}: {ids}.", "“{deed}”被{done}{times}：{ids}。"),
    once=("{deed} was {done} once.", "“{deed}”被{done}一次。"),
    never=("{deed} was never {done}.", "“{deed}”始终没有{done}。"),
    never_told=("{deed} was not {done}; a person was told.", "“{deed}”没有{done}，但已通知人工。"),
    never_claimed=(
        "{deed} was never {done}, and the model was told: {result}.",
        "“{deed}”始终没有{done}，告诉模型的却是：{result}。",
    ),
    deaf=(
        "The turn is done, and the session hears nothing any more: no later message is ever processed.",
        "这一轮做完了，会话却再也听不到消息：之后的消息都不会被处理。",
    ),
    stopped=(
        "A step beside the turn is half written and can never be committed: the session stops here until"
        " somebody sends another message.",
        "这一轮旁边的一个步骤只写了一半，永远无法提交：会话停在这里，直到有人再发一条消息。",
    ),
    stopped_deaf=(
        "A step beside the turn is half written and can never be committed: no later message is processed.",
        "这一轮旁边的一个步骤只写了一半，永远无法提交：之后的消息都不会被处理。",
    ),
    dies_unbegun=(
        "Process {process} dies before the step begins.",
        "这一步还没开始，进程 {process} 就死了。",
    ),
    hangs=("The session hangs for good.", "会话永远卡住了。"),
    runaway=("The tool calls the outside without end.", "工具不停地调用外部。"),
    diverged=(
        "The replay took another way than the record, so the run cannot go on.",
        "重放走了和记录不同的路，运行无法继续。",
    ),
    done_charge=("charged", "扣款"),
    done_refund=("refunded", "退款"),
    done_mail=("sent", "发送"),
    done_reservation=("reserved", "预订"),
    done_row=("written", "写入"),
    done_other=("done", "执行"),
    times_2=("twice", "两次"),
    times=("{count} times", " {count} 次"),
    and_=(" and ", " 和 "),
    comma=(", ", "、"),
    space=(" ", ""),
    step=("step {number}", "第 {number} 步"),
    step_turn=("turn {turn}, step {number}", "第 {turn} 轮第 {number} 步"),
    landed_right=("right after that look", "就在这次查询之后"),
    landed_at=("at {time}", "到第 {time}"),
    nothing=("nothing", "无"),
)

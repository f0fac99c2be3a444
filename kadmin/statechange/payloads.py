"""The forms of the states, answers and addresses that lines carry, release by release.

One table; the placeholders that it explains are named in `language`.
"""

from typing import Final

from kadmin.statechange.language import Payload, release

NEWEST: Final = "4.0"
"""The last release that writes any of these lines."""


def _forms(
    family: str, *rows: tuple[str, str, str], item: str = "", separator: str = ""
) -> tuple[Payload, ...]:
    return tuple(
        Payload(
            family=family,
            first=release(first),
            last=release(last),
            text=text,
            item=item if "{items}" in text else "",
            separator=separator if "{items}" in text else "",
        )
        for first, last, text in rows
    )


# The state of a partition as the controller keeps it.
_KEPT: Final = "(Leader:{leader},ISR:{isr}LeaderEpoch:{leader_epoch},ControllerEpoch:{n})"
_KEPT_VERSIONED: Final = _KEPT.replace(",Contr", ",ZkVersion:{zk_version},Contr")
_KEPT_RECOVERING: Final = _KEPT_VERSIONED.replace(
    "LeaderEpoch", "LeaderRecoveryState:<RECOVERED|RECOVERING>,LeaderEpoch"
)
# One parenthesis too few, as it was printed.
_WRAPPED: Final = f"(LeaderAndIsrInfo:{_KEPT},ReplicationFactor:{{n}}),AllReplicas:{{numbers}})"

# The same as requests carry it, first without a list's brackets.
_EPOCHS: Final = "controllerEpoch={n}, leader={leader}, leaderEpoch={leader_epoch}"
_BARE: Final = (
    f"PartitionState({_EPOCHS}, isr={{isr}}zkVersion={{zk_version}}, replicas={{numbers}}"
)
_LISTS: Final = f"{_EPOCHS}, isr=[{{isr}}], zkVersion={{zk_version}}, replicas=[{{numbers}}]"
_NAMED: Final = f"PartitionState(topicName='{{topic}}', partitionIndex={{index}}, {_LISTS}"
_MOVES: Final = ", addingReplicas=[{numbers}], removingReplicas=[{numbers}], isNew=<true|false>"
_RECOVERY: Final = ", leaderRecoveryState={n}"

_BARE_NEW: Final = ("1.0", "2.3", f"{_BARE}isNew=<true|false>)")
_LEADER_AND_ISR: Final = (
    ("2.4", "3.1", f"LeaderAndIsr{_NAMED}{_MOVES})"),
    ("3.2", "3.2", f"LeaderAndIsr{_NAMED}{_MOVES}{_RECOVERY})"),
    (
        "3.3",
        NEWEST,
        f"LeaderAndIsr{_NAMED.replace('zkVersion', 'partitionEpoch')}{_MOVES}{_RECOVERY})",
    ),
)
_UPDATE_METADATA: Final = (
    ("1.0", "2.3", f"PartitionState({_LISTS}, offlineReplicas=[{{numbers}}])"),
    ("2.4", NEWEST, f"UpdateMetadata{_NAMED}, offlineReplicas=[{{numbers}}])"),
)

# What an election decided.
_ELECTED: Final = "LeaderAndIsr(leader={leader}, leaderEpoch={leader_epoch}, "
_ELECTED_ISR: Final = _ELECTED + "isr=List({isr}), "
_RECOVERED: Final = "leaderRecoveryState=<RECOVERED|RECOVERING>, "

PAYLOADS: Final = (
    *_forms(
        "decided",
        ("0.8.1", "3.0", _KEPT),
        # Said by 2.7.2 and from 2.8.1 on, but not by 3.0.
        ("2.7", "3.1", _KEPT_VERSIONED),
        ("3.2", NEWEST, _KEPT_RECOVERING),
    ),
    *_forms("sent", ("0.8.1", "0.11.0", _KEPT), _BARE_NEW, *_LEADER_AND_ISR),
    *_forms("published", ("0.8.1", "0.11.0", _KEPT), *_UPDATE_METADATA),
    *_forms(
        "received",
        ("0.8.1", "0.9.0", _WRAPPED),
        ("0.10.0", "0.10.2", f"PartitionState({_LISTS})"),
        ("0.11.0", "0.11.0", f"{_BARE})"),
        _BARE_NEW,
        *_LEADER_AND_ISR,
    ),
    *_forms(
        "cached",
        ("0.8.0", "0.8.0", _KEPT),
        ("0.8.1", "0.11.0", _WRAPPED),
        *_UPDATE_METADATA,
    ),
    *_forms(
        "elected",
        ("1.1", "3.1", _ELECTED_ISR + "zkVersion={zk_version})"),
        ("3.2", "3.2", _ELECTED_ISR + _RECOVERED + "zkVersion={zk_version})"),
        ("3.3", "3.4", _ELECTED_ISR + _RECOVERED + "partitionEpoch={zk_version})"),
        (
            "3.5",
            NEWEST,
            _ELECTED
            + "isrWithBrokerEpoch=<List({isr_epochs})|[{isr_epochs}]>, "
            + _RECOVERED
            + "partitionEpoch={zk_version})",
        ),
    ),
    *_forms(
        "stored",
        ("0.8.0", "1.0", '{"leader":{leader},"leader_epoch":{leader_epoch},"isr":[{isr}]}'),
    ),
    *_forms(
        "stopped",
        (
            "2.6",
            NEWEST,
            "StopReplicaPartitionState(partitionIndex={n}, leaderEpoch={leader_epoch}, "
            "deletePartition=<true|false>)",
        ),
    ),
    *_forms(
        "node",
        ("0.8.0", "0.8.0", "{peer}"),
        ("0.8.1", "0.8.2", "id:{peer},host:{word},port:{n}"),
        ("0.9.0", "0.9.0", "Node({peer}, {word}, {n})"),
        ("0.10.0", NEWEST, "{word} (id: {peer} rack: <null|{text}>)"),
    ),
    *_forms(
        "response",
        ("0.8.2", "0.8.2", "UpdateMetadataResponse({correlation},{code})"),
        ("0.8.2", "0.8.2", "LeaderAndIsrResponse({correlation},Map({items}),{code})"),
        item="({topic},{index}) -> {code}",
        separator=", ",
    ),
    *_forms(
        "response",
        ("0.8.2", "0.8.2", "StopReplicaResponse({correlation},Map({items}),{code})"),
        item="[{topic},{index}] -> {code}",
        separator=", ",
    ),
    *_forms(
        "response",
        ("0.9.0", "2.3", "{error_code={code}}"),
        ("0.9.0", "2.3", "{error_code={code},partitions=[{items}]}"),
        item="{topic={topic},partition={index},error_code={code}}",
        separator=",",
    ),
    *_forms(
        "response",
        ("2.4", "2.7", "{error_code={code},_tagged_fields={}}"),
        ("2.4", "2.7", "{error_code={code},partition_errors=[{items}],_tagged_fields={}}"),
        item="{topic_name={topic},partition_index={index},error_code={code},_tagged_fields={}}",
        separator=",",
    ),
    *_forms(
        "response",
        ("2.8", NEWEST, "UpdateMetadataResponseData(errorCode={code})"),
        (
            "2.8",
            NEWEST,
            "LeaderAndIsrResponseData(errorCode={code}, partitionErrors=[{items}], topics=[])",
        ),
        item="LeaderAndIsrPartitionError(topicName='{topic}', partitionIndex={index}, "
        "errorCode={code})",
        separator=", ",
    ),
    *_forms(
        "response",
        ("2.8", NEWEST, "StopReplicaResponseData(errorCode={code}, partitionErrors=[{items}])"),
        item="StopReplicaPartitionError(topicName='{topic}', partitionIndex={index}, "
        "errorCode={code})",
        separator=", ",
    ),
    *_forms(
        "response",
        # Topics by their ids only: these partitions have no names here.
        (
            "2.8",
            NEWEST,
            "LeaderAndIsrResponseData(errorCode={code}, partitionErrors=[], topics=["
            "LeaderAndIsrTopicError(topicId={word}, partitionErrors=[{items}])])",
        ),
        item="LeaderAndIsrPartitionError(topicName='', partitionIndex={n}, errorCode={code})",
        separator="<, |])], LeaderAndIsrTopicError(topicId={word}, partitionErrors=[>",
    ),
)

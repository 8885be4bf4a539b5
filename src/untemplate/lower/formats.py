"""The formats of JSON Schema as regular expressions, anchored: RFC 3339, 5321, 1123, 3986, 4291, 9562, 6901, 6570."""

from __future__ import annotations

_OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = rf"{_OCTET}(\.{_OCTET}){{3}}"
_H16 = r"[0-9A-Fa-f]{1,4}"
_LS32 = rf"({_H16}:{_H16}|{_IPV4})"
_IPV6 = "|".join(
    [
        rf"({_H16}:){{6}}{_LS32}",
        rf"::({_H16}:){{5}}{_LS32}",
        rf"({_H16})?::({_H16}:){{4}}{_LS32}",
        rf"(({_H16}:){{0,1}}{_H16})?::({_H16}:){{3}}{_LS32}",
        rf"(({_H16}:){{0,2}}{_H16})?::({_H16}:){{2}}{_LS32}",
        rf"(({_H16}:){{0,3}}{_H16})?::{_H16}:{_LS32}",
        rf"(({_H16}:){{0,4}}{_H16})?::{_LS32}",
        rf"(({_H16}:){{0,5}}{_H16})?::{_H16}",
        rf"(({_H16}:){{0,6}}{_H16})?::",
    ]
)
_LEAP = r"(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
_DATE = rf"(\d{{4}}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))|{_LEAP}-02-29)"
_OFFSET = r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)"
_TIME = rf"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?{_OFFSET}"
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = rf"{_LABEL}(\.{_LABEL})*"
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_QUOTED = r'"([ !#-\[\]-~]|\\[ -~])*"'
_EMAIL = rf"({_ATOM}(\.{_ATOM})*|{_QUOTED})@({_HOST}|\[({_IPV4}|IPv6:[0-9A-Fa-f:.]+)\])"
_WIDE = r"\u0080-\u{10ffff}"
_IDN_LABEL = rf"[A-Za-z0-9{_WIDE}]([A-Za-z0-9{_WIDE}-]{{0,61}}[A-Za-z0-9{_WIDE}])?"
_IDN_ATOM = rf"[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~{_WIDE}-]+"
_IDN_HOST = rf"{_IDN_LABEL}(\.{_IDN_LABEL})*"
_PERCENT = r"%[0-9A-Fa-f]{2}"


def _uri(extra: str, *, relative: bool) -> str:
    unreserved = rf"A-Za-z0-9._~{extra}\-"
    path_char = rf"([{unreserved}!$&'()*+,;=:@]|{_PERCENT})"
    user = rf"(([{unreserved}!$&'()*+,;=:]|{_PERCENT})*@)?"
    host = rf"(\[[0-9A-Fa-f:.v~!$&'()*+,;=_-]+\]|([{unreserved}!$&'()*+,;=]|{_PERCENT})*)"
    tail = rf"(\?({path_char}|[/?])*)?(#({path_char}|[/?])*)?"
    authority = rf"//{user}{host}(:\d*)?(/{path_char}*)*"
    rooted = rf"/({path_char}+(/{path_char}*)*)?"
    rootless = rf"{path_char}+(/{path_char}*)*"
    absolute = rf"[A-Za-z][A-Za-z0-9+.-]*:({authority}|{rooted}|{rootless}|){tail}"
    if not relative:
        return absolute
    first = rf"([{unreserved}!$&'()*+,;=@]|{_PERCENT})+(/{path_char}*)*"
    return rf"{absolute}|({authority}|{rooted}|{first}|){tail}"


_POINTER = r"(/([^~/]|~[01])*)*"
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_CLOCK = r"T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S)"
_DURATION = rf"P((\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)({_CLOCK})?|{_CLOCK}|\d+W)"
_VARIABLE = r"([A-Za-z0-9_]|%[0-9A-Fa-f]{2})(\.?([A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*(\*|:[1-9]\d{0,3})?"

FORMATS: dict[str, str] = {
    name: f"^({body})$"
    for name, body in {
        "date": _DATE,
        "time": _TIME,
        "date-time": rf"{_DATE}[Tt]{_TIME}",
        "duration": _DURATION,
        "email": _EMAIL,
        "idn-email": rf"({_IDN_ATOM}(\.{_IDN_ATOM})*|{_QUOTED})@({_IDN_HOST}|\[{_IPV4}\])",
        "hostname": _HOST,
        "host-name": _HOST,
        "idn-hostname": _IDN_HOST,
        "ipv4": _IPV4,
        "ip-address": _IPV4,
        "ipv6": _IPV6,
        "uuid": _UUID,
        "uri": _uri("", relative=False),
        "uri-reference": _uri("", relative=True),
        "iri": _uri(_WIDE, relative=False),
        "iri-reference": _uri(_WIDE, relative=True),
        "uri-template": rf"([^\x00-\x20\x7f\"'%<>\\^`{{|}}]|{_PERCENT}|\{{[+#./;?&=,!@|]?{_VARIABLE}(,{_VARIABLE})*\}})*",
        "json-pointer": _POINTER,
        "relative-json-pointer": rf"(0|[1-9]\d*)(#|{_POINTER})",
    }.items()
}
"""Unanchored parts are never left: each expression stands for whole strings."""

ANNOTATIONS = frozenset({"int32", "int64", "uint32", "uint64", "int8", "int16", "uint8", "uint16", "float", "double", "binary", "password"})
"""Formats that do not say anything of a string's characters."""

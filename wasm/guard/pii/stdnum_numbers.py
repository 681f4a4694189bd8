"""Prints identity numbers as JSON, each with what python-stdnum says of it: {kind: [[number, is valid]...]}.

Arguments: a seed and how many numbers of each kind. Half of them or so are valid; the others are valid
ones with one character changed, which is what a check digit is there for.
"""

import json
import random
import string
import sys

from stdnum import bitcoin
from stdnum.ar import cuit
from stdnum.au import abn, tfn
from stdnum.be import nn
from stdnum.br import cnpj, cpf
from stdnum.ca import sin
from stdnum.ch import ssn as ahv
from stdnum.cl import rut
from stdnum.cn import ric
from stdnum.de import idnr as steuer
from stdnum.dk import cpr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.ie import pps
from stdnum.il import idnr as teudat
from stdnum.in_ import aadhaar, pan
from stdnum.it import codicefiscale
from stdnum.jp import in_ as mynumber
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.nl import bsn
from stdnum.no import fodselsnummer
from stdnum.pl import pesel
from stdnum.pt import nif
from stdnum.ro import cnp
from stdnum.ru import inn
from stdnum.se import personnummer
from stdnum.tr import tckimlik
from stdnum.us import ein, itin, ssn
from stdnum.za import idnr as za

choose = random.Random(int(sys.argv[1]))
COUNT = int(sys.argv[2])
CAPITALS = string.ascii_uppercase


def digits(length):
    return "".join(choose.choice(string.digits) for _ in range(length))


def letters(length, alphabet=CAPITALS):
    return "".join(choose.choice(alphabet) for _ in range(length))


def year():
    return choose.randint(1930, 2015)


def day(form):
    """A day, sometimes one that does not exist."""
    y, m, d = year(), choose.randint(1, 12), choose.randint(1, 31)
    return form.format(y=y, yy=y % 100, m=m, d=d)


STATES = ["DF", "NL", "JC", "OC", "VZ", "NE", "XX"]

# What a number of each kind looks like before its check is right.
SHAPES = {
    "ar_cuit": (cuit, lambda: choose.choice(["20", "23", "27", "30", "99"]) + digits(9)),
    "au_abn": (abn, lambda: str(choose.randint(11, 99)) + digits(9)),
    "au_tfn": (tfn, lambda: digits(choose.choice([8, 9]))),
    "be_national_number": (nn, lambda: day("{yy:02}{m:02}{d:02}") + digits(5)),
    "br_cnpj": (cnpj, lambda: digits(14)),
    "br_cpf": (cpf, lambda: digits(11)),
    "ca_sin": (sin, lambda: digits(9)),
    "ch_ahv": (ahv, lambda: "756" + digits(10)),
    "cl_rut": (rut, lambda: digits(choose.choice([7, 8])) + "-" + choose.choice("0123456789K")),
    "cn_resident_id": (
        ric,
        lambda: choose.choice(["110101", "310101"])
        + day("{y}{m:02}{d:02}")
        + digits(3)
        + choose.choice("0123456789X"),
    ),
    "de_steuer_id": (steuer, lambda: steuer_digits() + digits(1)),
    "dk_cpr": (cpr, lambda: day("{d:02}{m:02}{yy:02}") + "-" + digits(4)),
    "es_dni": (dni, lambda: digits(8) + letters(1, "TRWAGMYFPDXBNJZSQVHLCKE")),
    "es_nie": (nie, lambda: letters(1, "XYZ") + digits(7) + letters(1)),
    "fi_hetu": (
        hetu,
        lambda: day("{d:02}{m:02}{yy:02}")
        + letters(1, "-+ABCDEFYXWVU")
        + digits(3)
        + letters(1, "0123456789ABCDEFHJKLMNPRSTUVWXY"),
    ),
    "fr_nir": (nir, lambda: letters(1, "12") + day("{yy:02}{m:02}") + digits(8) + digits(2)),
    "ie_pps": (pps, lambda: digits(7) + letters(1, CAPITALS[:23]) + choose.choice(["", "A", "B", "H", "W", "T", "X"])),
    "il_id": (teudat, lambda: digits(9)),
    "in_aadhaar": (aadhaar, lambda: digits(12)),
    "in_pan": (pan, lambda: letters(3) + letters(1, "ABCDEFGHIJKLPT") + letters(1) + digits(4) + letters(1)),
    "it_codice_fiscale": (
        codicefiscale,
        lambda: letters(6)
        + "%02d" % (year() % 100)
        + letters(1, "ABCDEHLMPRSTZ")
        + "%02d" % choose.choice([choose.randint(1, 31), choose.randint(41, 71)])
        + letters(1)
        + digits(3)
        + letters(1),
    ),
    "jp_my_number": (mynumber, lambda: digits(12)),
    "kr_rrn": (rrn, lambda: day("{yy:02}{m:02}{d:02}") + "-" + digits(7)),
    "mx_curp": (
        curp,
        lambda: "XE" + letters(2) + day("{yy:02}{m:02}{d:02}") + letters(1, "HM") + choose.choice(STATES) + letters(3)
        + choose.choice("0123A") + digits(1),
    ),
    "nl_bsn": (bsn, lambda: digits(9)),
    "no_fodselsnummer": (fodselsnummer, lambda: day("{d:02}{m:02}{yy:02}") + digits(5)),
    "pl_pesel": (pesel, lambda: day("{yy:02}{m:02}{d:02}") + digits(5)),
    "pt_nif": (nif, lambda: digits(9)),
    "ro_cnp": (cnp, lambda: letters(1, "12") + day("{yy:02}{m:02}{d:02}") + digits(6)),
    "ru_inn": (inn, lambda: digits(12)),
    "se_personnummer": (personnummer, lambda: day("{yy:02}{m:02}{d:02}") + "-" + digits(4)),
    "ssn": (ssn, lambda: choose.choice(["000", "666", "9" + digits(2), digits(3)]) + "-" + digits(2) + "-" + digits(4)),
    "tr_tckn": (tckimlik, lambda: digits(11)),
    "uk_nhs": (nhs, lambda: digits(10)),
    "us_ein": (ein, lambda: digits(2) + "-" + digits(7)),
    "us_itin": (itin, lambda: letters(1, "89") + digits(2) + "-" + str(choose.randint(66, 99)) + "-" + digits(4)),
    "za_id": (za, lambda: day("{yy:02}{m:02}{d:02}") + digits(7)),
}


def steuer_digits():
    """Ten digits of which one stands there twice or three times, mostly."""
    ten = choose.sample(string.digits, 10)
    for _ in range(choose.choice([0, 1, 1, 1, 2])):
        ten[choose.randrange(10)] = ten[choose.randrange(10)]
    return "".join(ten)


def changed(number):
    """The number with one character made another one of its kind."""
    while True:
        at = choose.randrange(len(number))
        if number[at].isdigit():
            other = choose.choice(string.digits)
        elif number[at].isalpha():
            other = choose.choice(CAPITALS)
        else:
            continue
        if other != number[at]:
            return number[:at] + other + number[at + 1 :]


def is_left_out(kind, number):
    """What the guard judges otherwise on purpose."""
    if len(set(c for c in number if c.isdigit())) == 1:
        return True
    if kind == "be_national_number":
        return int(number[:2]) > 15
    if kind == "dk_cpr":
        # Not born yet, also below: the guard has no clock.
        return number[7] in "456789" and 15 < int(number[4:6]) < 58
    if kind == "no_fodselsnummer":
        return number[6] in "56789" and 15 < int(number[4:6]) < 40
    if kind == "kr_rrn":
        # Given out since October 2020: without a check digit.
        return number[7] in "3478" and int(number[:2]) >= 20
    if kind == "us_itin":
        # The IRS gives these out since 2015.
        return 50 <= int(number[4:6]) <= 65
    return False


def numbers(kind, module, shape):
    found = []
    wanted = COUNT // 2
    for _ in range(200_000):
        number = shape()
        if is_left_out(kind, number):
            continue
        if module.is_valid(number):
            found.append([number, True])
            wrong = changed(number)
            if not is_left_out(kind, wrong):
                found.append([wrong, module.is_valid(wrong)])
            if len(found) >= COUNT:
                break
        elif wanted > 0:
            wanted -= 1
            found.append([number, False])
    return found


answer = {kind: numbers(kind, module, shape) for kind, (module, shape) in SHAPES.items()}
wallets = ["1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
           "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
           "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"]
answer["bitcoin_address"] = [[w, bitcoin.is_valid(w)] for wallet in wallets
                             for w in [wallet] + [wallet[:9] + choose.choice("23456789") + wallet[10:] for _ in range(5)]]
json.dump(answer, sys.stdout)

"""Programs for the tests of the syntax: the driver scenarios of D §7.2 and appendix A.1, and smaller ones."""

from __future__ import annotations

TRANSFERS = """
type AccountId = String
type TransactionId = String
type Amount = Float

predicate uncommon_route(AccountId, AccountId)

template MoneyTransferred {
    id          : TransactionId,
    originator  : AccountId,
    destination : AccountId,
    amount      : Amount,
}
"""

# D listing 7.1 as printed; that its lists hold ids of accounts is no error here, where both kinds of id are strings.
SEQUENCE = """
template SuspiciousSequenceDetected {
    mule_account : AccountId
    amount : Amount
    incoming_transactions : [AccountId; 3]
    outgoing_transactions : [AccountId; 3]
}
"""

# D listing 7.2: no commas between patterns, none after the last conditions.
PASS_THROUGH = (
    TRANSFERS
    + SEQUENCE
    + """
rule FraudPassThrough where
    incoming : MoneyTransferred { amount >= 100.0, uncommon_route(originator, destination) }
    outgoing : MoneyTransferred {
        uncommon_route(originator, destination),
        originator = incoming.destination,
        amount = incoming.amount
    }
when
    outgoing in incoming [0 days, 14 days]
then
    emit SuspiciousSequenceDetected
        at incoming.timestamp
        with {
            mule_account = incoming.destination,
            amount = incoming.amount,
            incoming_transactions = list(incoming.id),
            outgoing_transactions = list(outgoing.id)
        }
"""
)

# D listing 7.3: several constraints, arithmetic over four events.
DIFFUSION = (
    TRANSFERS
    + SEQUENCE
    + """
rule FraudDiffusion where
    incoming : MoneyTransferred { amount >= 100.0, uncommon_route(originator, destination) }
    out1 : MoneyTransferred { uncommon_route(originator, destination), originator = incoming.destination }
    out2 : MoneyTransferred {
        uncommon_route(originator, destination)
        originator = incoming.destination
        id ≠ out1.id,
    }
    out3 : MoneyTransferred {
        uncommon_route(originator, destination), originator = incoming.destination,
        id != out1.id, id != out2.id,
        out1.amount + out2.amount + out3.amount ≥ incoming.amount * 0.9,
        out1.amount + out2.amount + out3.amount <= incoming.amount * 1.1,
    }
when
    out1 in incoming [0 days, 14 days]
    out2 in incoming [0 days, 14 days],
    out3 in incoming [0 days, 14 days]
then
    emit SuspiciousSequenceDetected at incoming.timestamp with {
        mule_account = incoming.destination
        amount = incoming.amount
        incoming_transactions = list(incoming.id)
        outgoing_transactions = list(out1.id, out2.id, out3.id)
    }
"""
)

# D listings 7.4 and 7.5: a pattern without braces, commas between patterns, a negated pattern.
REFUND_SCAM = (
    TRANSFERS
    + """
template FraudulentTransactionClaimed { transaction_id : TransactionId, reason : String }
template RefundScamSuspected { incoming_transaction : TransactionId, refund_transaction : TransactionId }

rule FraudRefundScam where
    incoming : MoneyTransferred,
    refund : MoneyTransferred {
        destination = incoming.originator, originator = incoming.destination,
        amount >= incoming.amount * 0.9, amount <= incoming.amount * 1.1,
    },
    claim : FraudulentTransactionClaimed { transaction_id = incoming.id },
    no additional : MoneyTransferred {
        originator = incoming.originator, destination = incoming.destination,
        amount >= refund.amount * 0.9, amount <= refund.amount * 1.1,
    }
when
    refund in incoming [0 days, 14 days]
    claim in incoming [0 days, 14 days]
    no additional in refund [-14 days, 0 days]
then
    emit RefundScamSuspected at claim.timestamp with {
        incoming_transaction = incoming.id, refund_transaction = refund.id,
    }
"""
)

# D listings A.1 and A.2 with the template and the `id` that they leave out (docs/errata.md): an empty `when`, and rules
# that react to what another rule emits.
ABSTRACTED = (
    TRANSFERS
    + SEQUENCE
    + """
template MoneyTransferredSuspiciously {
    id : TransactionId, originator : AccountId, destination : AccountId, amount : Amount,
}

rule AbstractSuspiciousTransfer where
    incoming : MoneyTransferred { amount >= 100.0, uncommon_route(originator, destination) }
when
then
    emit MoneyTransferredSuspiciously at incoming.timestamp with {
        id = incoming.id, originator = incoming.originator,
        destination = incoming.destination, amount = incoming.amount,
    }

rule FraudPassThrough where
    incoming : MoneyTransferredSuspiciously
    outgoing : MoneyTransferredSuspiciously { originator = incoming.destination, amount = incoming.amount }
when
    outgoing in incoming [0 days, 14 days]
then
    emit SuspiciousSequenceDetected at incoming.timestamp with {
        mule_account = incoming.destination, amount = incoming.amount,
        incoming_transactions = list(incoming.id), outgoing_transactions = list(outgoing.id)
    }

rule FraudDiffusion where
    incoming : MoneyTransferredSuspiciously
    out1 : MoneyTransferredSuspiciously { originator = incoming.destination, }
    out2 : MoneyTransferredSuspiciously { originator = incoming.destination, id != out1.id }
    out3 : MoneyTransferredSuspiciously {
        originator = incoming.destination, id != out1.id, id != out2.id,
        out1.amount + out2.amount + out3.amount >= incoming.amount * 0.9,
        out1.amount + out2.amount + out3.amount <= incoming.amount * 1.1,
    }
when
    out1 in incoming [0 days, 14 days]
    out2 in incoming [0 days, 14 days]
    out3 in incoming [0 days, 14 days]
then
    emit SuspiciousSequenceDetected at incoming.timestamp with {
        mule_account = incoming.destination, amount = incoming.amount,
        incoming_transactions = list(incoming.id), outgoing_transactions = list(out1.id, out2.id, out3.id)
    }
"""
)

# Everything else that an expression, a timestamp or a declaration can be.
EVERYTHING = """
type Xs = [Integer; 4]
predicate always()
predicate far(Integer, Float, String, Boolean)
template S { i : Integer, f : Float, s : String, b : Boolean }
template O { xs : Xs, fs : [Float; 2], when_ : Integer, mean : Float, b : Boolean, s : String, i : Integer }
template P { xs : [Integer; 8] }
template Nothing {}
rule One where
    x : S {
        always(), far(i, i, s, f > i), -(i) < -3, -i * -2 + 3 - (4 - 5) > abs(-7), f / 2 = i / 2,
        b = (i > 3), b != false, s < "z\\u00e9\\n\\"", min(i, 2) = max(1), sum(i, 1.5) > avg(i, i), 1e3 > 0.5E-3,
        (always()) = true, (b = b) = (i = i),
    }
    y : S { i = x.i, y.f = f, s != x.s }
    no z : S { i = x.i, z.i = y.i, far(1, 2, "", true) }
when y in x [-1 ms, 2 hours] no z in y [0 seconds, 1 minute], no z in x [-1 day, 1 day]
then
    emit O at min(x.timestamp, y.timestamp + 5 minutes - (1 second + -2 ms)) - 1 day with {
        xs = list(x.i, 2), fs = list(1, x.f), when_ = max(x.timestamp, y.timestamp) - x.timestamp,
        mean = x.i, b = x.i > 3, s = y.s, i = -9223372036854775808
    }
    emit Nothing at avg(x.timestamp, max(y.timestamp)) with {}
    emit Nothing at 1 day + x.timestamp
rule Two where o : O { i = 1 } then emit P at o.timestamp with { xs = o.xs }
rule Three where p : P, s : S when s in p [0 ms, 0 ms]
"""

VALID = {
    "pass-through": PASS_THROUGH,
    "diffusion": DIFFUSION,
    "refund-scam": REFUND_SCAM,
    "abstracted": ABSTRACTED,
    "everything": EVERYTHING,
    "empty": "",
}

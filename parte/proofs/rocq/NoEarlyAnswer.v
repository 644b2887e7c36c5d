(* No early answer: what has been reported at any moment is in the algebra's result of every continuation
   (specification:
   sound-agrees, terminal-nodes). Capacities and schedule play no part. *)
From Parte Require Export Adequacy.

Section Program.
Context {E : Events}.
Variables (queues_of : nat -> list nat) (reach : Z) (p : program).
Hypothesis Checked : checked queues_of reach [] [] p.
Let net := graph (compile queues_of p).
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

(* Theorem (no early answer; specification: sound-agrees). Whatever has come so far and however it goes on, as long as
   promises are kept: what has been reported is among the values of the whole, each as often as there at most. *)
Theorem what_is_reported_is_in_the_result_of_every_continuation : forall before after stream,
  (forall q, exists more, after q = before q ++ more) ->
  (forall q, honest 1 (after q)) ->
  (forall t q, In q (queues_of t) -> ended infinity (after q)) ->
  (forall t q, In q (queues_of t) -> Forall (fun v => of_template t v = true) (payloads (after q))) ->
  (forall t, Permutation (of t stream) (sent_from_outside queues_of after t)) ->
  forall limit c, reaches net limit (start net before) c ->
  Forall2 (fun i r => exists more, Permutation (reported (state c i) ++ more) r) (ends (compile queues_of p)) (results
    p stream).
Proof.
  intros before after stream Con Honest Ended Typed Arr limit c R.
  pose proof (values_are_results queues_of reach after p stream Checked Arr) as V.
  induction V as [|i r l res [(v & Vi & T) P] V IH]; constructor; auto.
  destruct (what_is_reported_stays_in_the_value net reach before after) with (limit := limit) (c := c) (i := i) (v :=
    v) as (more & M); auto.
  - apply a_checked_program_compiles_to_a_sound_network. auto.
  - apply (own_templates_kept queues_of reach after Typed p stream Checked Arr).
  - apply (sources_ended queues_of reach after p stream Checked Arr Ended).
  - exists more. rewrite M. auto.
Qed.
End Program.

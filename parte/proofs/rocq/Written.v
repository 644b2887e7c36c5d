(* The theorems about programs as they are written: adequacy, and no early answer, closure included. *)
From Parte Require Export Closure NoEarlyAnswer.

Section Written.
Context {E : Events}.

Record written_stratum := WrittenStratum { w_templates : list nat; w_rules : list written }.
Definition closed_program (p : list written_stratum) : program :=
  map (fun s => Stratum (w_templates s) (map close (w_rules s))) p.
Definition values_of (stream : list event) (r : written) : list partial := evaluate stream (pattern_of_written r).
Definition emitted_by_rule (stream : list event) (r : written) : list event :=
  flat_map (emitted_by (values_of stream r)) (w_emissions r).

(* Specification: strata-in-order. What each rule means, rule by rule, the lowest stratum first. *)
Fixpoint meaning (p : list written_stratum) (stream : list event) : list (list partial) :=
  match p with
  | [] => []
  | s :: above =>
      map (values_of stream) (w_rules s) ++ meaning above (stream ++ flat_map (emitted_by_rule stream) (w_rules s))
  end.
Definition all_related (p : list written_stratum) : Prop := Forall (fun s => Forall related (w_rules s)) p.

Lemma closing_keeps_the_meaning : forall p stream, all_related p -> results (closed_program p) stream = meaning p
  stream.
Proof.
  induction p as [|s p IH]; simpl; intros stream A; auto. inversion A; subst.
  assert (V : forall r, In r (w_rules s) -> evaluate stream (pattern_of (close r)) = values_of stream r).
  { intros r I. apply a_closed_rule_means_what_is_written. rewrite Forall_forall in H1. auto. }
  rewrite map_map. f_equal.
  - apply map_ext_in. auto.
  - rewrite IH by auto. f_equal. f_equal. rewrite flat_map_of_map. apply flat_map_same. intros r I.
    unfold emitted_events, emitted_by_rule. simpl. rewrite V; auto.
Qed.

Variables (queues_of : nat -> list nat) (reach : Z) (p : list written_stratum).
Let compiled_program := compile queues_of (closed_program p).
Let net := graph compiled_program.
Hypothesis Checked : checked queues_of reach [] [] (closed_program p).
Hypothesis Related : all_related p.
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

(* Sources that keep their promises and end, and the stream that they send. *)
Record family (queues : nat -> list token) (stream : list event) : Prop := Family {
  they_are_honest : forall q, honest 1 (queues q);
  they_end : forall t q, In q (queues_of t) -> ended infinity (queues q);
  they_keep_to_templates : forall t q, In q (queues_of t) -> Forall (fun v => of_template t v = true) (payloads
    (queues q));
  they_send_the_stream : forall t, Permutation (of t stream) (sent_from_outside queues_of queues t) }.

(* Adequacy (specification: sound-agrees). *)
Theorem every_run_that_rests_has_reported_exactly_the_meaning : forall queues stream, family queues stream ->
  forall c, reaches net (fun _ => unlimited) (start net queues) c -> final net (fun _ => unlimited) c ->
  Forall2 (fun i r => Permutation (reported (state c i)) r) (ends compiled_program) (meaning p stream).
Proof.
  intros queues stream [Ho En Te St] c R F. rewrite <- closing_keeps_the_meaning by auto.
  eapply a_run_that_rests_has_reported_what_the_algebra_says; eauto.
Qed.

(* No early answer (specification: sound-agrees, terminal-nodes): at every moment of every run, with any capacities, and
   for every way in which the sources go on. *)
Theorem what_a_run_has_reported_is_in_the_meaning_of_every_continuation : forall before after stream,
  (forall q, exists more, after q = before q ++ more) -> family after stream ->
  forall limit c, reaches net limit (start net before) c ->
  Forall2 (fun i r => exists more, Permutation (reported (state c i) ++ more) r) (ends compiled_program) (meaning p
    stream).
Proof.
  intros before after stream C [Ho En Te St] limit c R. rewrite <- closing_keeps_the_meaning by auto.
  eapply what_is_reported_is_in_the_result_of_every_continuation; eauto.
Qed.

End Written.

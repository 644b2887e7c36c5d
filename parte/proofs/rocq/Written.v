(* The theorems about programs as they are written: adequacy, and no early answer, closure included. *)
From Parte Require Export Closure Emitted.

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
(* What each rule emits, the lowest stratum first. *)
Fixpoint emitted_meaning (p : list written_stratum) (stream : list event) : list (list event) :=
  match p with
  | [] => []
  | s :: above => map (emitted_by_rule stream) (w_rules s)
      ++ emitted_meaning above (stream ++ flat_map (emitted_by_rule stream) (w_rules s))
  end.
Definition written_counts (p : list written_stratum) : list nat :=
  flat_map (fun s => map (fun r => length (w_emissions r)) (w_rules s)) p.
Definition all_related (p : list written_stratum) : Prop := Forall (fun s => Forall related (w_rules s)) p.

Lemma closing_keeps_the_meaning : forall p stream, all_related p ->
  results (closed_program p) stream = meaning p stream /\
  emitted_results (closed_program p) stream = emitted_meaning p stream.
Proof.
  induction p as [|s p IH]; simpl; intros stream A; auto. inversion A; subst.
  assert (V : forall r, In r (w_rules s) -> evaluate stream (pattern_of (close r)) = values_of stream r).
  { intros r I. apply a_closed_rule_means_what_is_written. rewrite Forall_forall in H1. auto. }
  assert (Em : forall r, In r (w_rules s) -> emitted_events stream (close r) = emitted_by_rule stream r).
  { intros r I. unfold emitted_events, emitted_by_rule. simpl. rewrite V; auto. }
  assert (F : flat_map (emitted_events stream) (map close (w_rules s)) = flat_map (emitted_by_rule stream) (w_rules s)).
  { rewrite flat_map_of_map. apply flat_map_same. auto. }
  rewrite !map_map, F. destruct (IH (stream ++ flat_map (emitted_by_rule stream) (w_rules s)) H2) as [-> ->].
  split; f_equal; apply map_ext_in; auto.
Qed.
Lemma closing_keeps_the_counts : forall p, emission_counts (closed_program p) = written_counts p.
Proof.
  unfold emission_counts, rules_of, written_counts, closed_program.
  induction p as [|s p IH]; simpl; auto. rewrite map_app, IH, map_map. auto.
Qed.

Variables (queues_of : nat -> list nat) (reach : Z) (p : list written_stratum).
Let compiled_program := compile queues_of (closed_program p).
Let net := graph compiled_program.
Hypothesis Checked : checked queues_of reach [] [] (closed_program p).
Hypothesis Related : all_related p.
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

(* Sources that keep their promises, and the stream that they have sent, with or without an end. *)
Definition sends (queues : nat -> list token) (stream : list event) : Prop :=
  (forall q, honest 1 (queues q)) /\
  (forall t q, In q (queues_of t) -> Forall (fun v => of_template t v = true) (payloads (queues q))) /\
  (forall t, Permutation (of t stream) (sent_from_outside queues_of queues t)).
(* Sources that keep their promises and end, and the stream that they send. *)
Record family (queues : nat -> list token) (stream : list event) : Prop := Family {
  they_are_honest : forall q, honest 1 (queues q);
  they_end : forall t q, In q (queues_of t) -> ended infinity (queues q);
  they_keep_to_templates : forall t q, In q (queues_of t) -> Forall (fun v => of_template t v = true) (payloads
    (queues q));
  they_send_the_stream : forall t, Permutation (of t stream) (sent_from_outside queues_of queues t) }.

Lemma family_complete : forall queues stream, family queues stream -> own_templates net queues /\
  (forall i v q, nth_error net i = Some v -> In (External q) (sources v) -> ended infinity (queues q)) /\
  sound_network net reach.
Proof.
  intros queues stream [Ho En Te St]. split; [|split].
  - eapply own_templates_kept; eauto.
  - eapply sources_ended; eauto.
  - apply a_checked_program_compiles_to_a_sound_network. auto.
Qed.

(* Of every machine of Weakened.v, in the end and before. *)
Lemma written_rules_observed : forall all before after stream limit x, stage net all before after x ->
  family after stream -> leads_to net limit (loose_start net before) x ->
  Forall2 (fun i r => covers all (reported (state (plain x) i)) r) (ends compiled_program) (meaning p stream) /\
  Forall2 (fun js es => covers all (emitted_at (sent x) js) es)
    (productions (ends compiled_program) (written_counts p)) (emitted_meaning p stream).
Proof.
  intros all before after stream limit x S F R. destruct (family_complete after stream F) as (Own & En & Net).
  destruct F as [Ho _ _ St]. destruct (closing_keeps_the_meaning p stream Related) as [<- <-].
  rewrite <- closing_keeps_the_counts. apply (rules_observed queues_of reach after); auto. intros i v V.
  destruct all; destruct S as [Eq Rest] || pose proof S as C.
  - subst before. eapply a_weakened_run_that_rests_has_reported_and_sent_exactly_the_values; eauto.
  - eapply what_a_weakened_run_has_reported_and_sent_stays_in_the_value; eauto.
Qed.

(* Adequacy (specification: sound-agrees). *)
Theorem every_run_that_rests_has_reported_exactly_the_meaning : forall queues stream, family queues stream ->
  forall c, reaches net (fun _ => unlimited) (start net queues) c -> final net (fun _ => unlimited) c ->
  Forall2 (fun i r => Permutation (reported (state c i)) r) (ends compiled_program) (meaning p stream).
Proof.
  intros queues stream F c R Fi. pose proof (a_final_run_is_rested _ _ c R Fi) as Rest.
  apply a_run_has_sent_something in R as [s R].
  destruct (a_run_as_one net true _ queues queues c s R (conj eq_refl Rest)) as (k & L & S).
  exact (proj1 (written_rules_observed true _ _ _ _ _ S F L)).
Qed.

(* And emitted (specification: sound-agrees, production-bound): what the productions of each rule, of every stratum,
   have sent on in the whole run is what the rule emits, each event with its timestamp. *)
Theorem every_run_that_rests_has_emitted_exactly_what_is_meant : forall queues stream, family queues stream ->
  forall c s, runs net (fun _ => unlimited) (start net queues) c s -> final net (fun _ => unlimited) c ->
  Forall2 (fun js es => Permutation (emitted_at s js) es)
    (productions (ends compiled_program) (written_counts p)) (emitted_meaning p stream).
Proof.
  intros queues stream F c s R Fi.
  assert (Rest : rested c) by (eapply a_final_run_is_rested; eauto; apply a_run_has_sent_something; eauto).
  destruct (a_run_as_one net true _ queues queues c s R (conj eq_refl Rest)) as (k & L & S).
  exact (proj2 (written_rules_observed true _ _ _ _ _ S F L)).
Qed.

(* No early answer (specification: sound-agrees, terminal-nodes): at every moment of every run, with any capacities, and
   for every way in which the sources go on. *)
Theorem what_a_run_has_reported_is_in_the_meaning_of_every_continuation : forall before after stream,
  (forall q, exists more, after q = before q ++ more) -> family after stream ->
  forall limit c, reaches net limit (start net before) c ->
  Forall2 (fun i r => exists more, Permutation (reported (state c i) ++ more) r) (ends compiled_program) (meaning p
    stream).
Proof.
  intros before after stream C F limit c R. apply a_run_has_sent_something in R as [s R].
  destruct (a_run_as_one net false _ before after c s R C) as (k & L & S).
  exact (proj1 (written_rules_observed false _ _ _ _ _ S F L)).
Qed.

(* Nor is anything emitted early (specification: sound-agrees, production-bound). *)
Theorem what_a_run_has_emitted_is_emitted_in_every_continuation : forall before after stream,
  (forall q, exists more, after q = before q ++ more) -> family after stream ->
  forall limit c s, runs net limit (start net before) c s ->
  Forall2 (fun js es => exists more, Permutation (emitted_at s js ++ more) es)
    (productions (ends compiled_program) (written_counts p)) (emitted_meaning p stream).
Proof.
  intros before after stream C F limit c s R.
  destruct (a_run_as_one net false _ before after c s R C) as (k & L & S).
  exact (proj2 (written_rules_observed false _ _ _ _ _ S F L)).
Qed.

End Written.

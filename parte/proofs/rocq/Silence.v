(* A template of which nobody speaks: compilation gives it a source of its own that promises at once that nothing comes
   (NOBODY of semantics/partelang/compilation.py; specification: silent-templates). So that every template has a source
   is no premise on what is outside, and here it is none. *)
From Parte Require Export Written.

Section Silence.
Context {E : Events}.

Definition emitted_in (p : program) : list nat :=
  flat_map (fun s => flat_map (fun r => map emits (emissions r)) (rules s)) p.
Definition silent_end : list token := [Token [infinity] None].

(* Queues from outside have even numbers, the silent ones odd ones. *)
Variables (queues_of : nat -> list nat) (p : program).
Definition heard (t : nat) : list nat :=
  match queues_of t with
  | [] => if existsb (Nat.eqb t) (emitted_in p) then [] else [S (2 * t)]
  | some => map (fun q => 2 * q)%nat some
  end.
Definition heard_queues (queues : nat -> list token) (q : nat) : list token :=
  if Nat.even q then queues (Nat.div2 q) else silent_end.

(* All checks but that there is a source. *)
Definition checked_but_for_sources (reach : Z) : Prop := checked (fun _ => [0%nat]) reach [] [] p.

Lemma what_is_emitted_is_not_known : forall reach qs q known emitted, checked qs reach known emitted q ->
  forall t, In t (emitted_in q) -> ~ In t known.
Proof.
  intros reach qs q. induction q as [|s above IH]; simpl; intros known emitted C t I; [contradiction|].
  destruct C as (_ & _ & R & C). apply in_app_iff in I as [I|I].
  - apply in_flat_map in I as (r & Ir & I). apply in_map_iff in I as (m & <- & Im).
    rewrite Forall_forall in R. destruct (R r Ir) as (_ & _ & M). rewrite Forall_forall in M.
    destruct (M m Im) as [_ N]. intros K. apply N, in_app_iff. auto.
  - intros K. apply (IH _ _ C t I), in_app_iff. auto.
Qed.

Lemma sources_complete_the_checks : forall reach qs q known emitted, checked (fun _ => [0%nat]) reach known emitted q ->
  (forall t, qs t = [] -> In t (flat_map templates q) -> In t (emitted ++ emitted_in q)) ->
  checked qs reach known emitted q.
Proof.
  intros reach qs q. induction q as [|s above IH]; simpl; intros known emitted C H; auto.
  destruct C as (N & T & R & C). split; [auto|]. split; [|split; [auto|]].
  - rewrite Forall_forall in *. intros t I. destruct (T t I) as [K _]. split; auto.
    destruct (qs t) eqn:Q; [right|left; discriminate].
    assert (J : In t (emitted ++ flat_map (fun r => map emits (emissions r)) (rules s) ++ emitted_in above)).
    { apply H; auto. apply in_app_iff. auto. }
    apply in_app_iff in J as [J|J]; auto. exfalso. apply in_app_iff in J as [J|J].
    + apply in_flat_map in J as (r & Ir & J). apply in_map_iff in J as (m & <- & Im).
      destruct (R r Ir) as (_ & _ & M). rewrite Forall_forall in M. destruct (M m Im) as [_ Nk].
      apply Nk, in_app_iff. auto.
    + apply (what_is_emitted_is_not_known _ _ _ _ _ C t J), in_app_iff. auto.
  - apply IH; auto. intros t Q I. rewrite <- app_assoc. apply H; auto. apply in_app_iff. auto.
Qed.

Lemma heard_checked : forall reach, checked_but_for_sources reach -> checked heard reach [] [] p.
Proof.
  intros reach C. apply sources_complete_the_checks; auto. intros t Q _. simpl. unfold heard in Q.
  destruct (queues_of t); [|discriminate]. destruct (existsb (Nat.eqb t) (emitted_in p)) eqn:X; [|discriminate].
  apply existsb_exists in X as (t' & I & Eq). apply Nat.eqb_eq in Eq. subst. auto.
Qed.

Lemma heard_twice : forall queues q, heard_queues queues (2 * q) = queues q.
Proof.
  intros. unfold heard_queues. replace (Nat.even (2 * q)) with true.
  - f_equal. apply Nat.div2_double.
  - symmetry. apply Nat.even_spec. exists q. auto.
Qed.
Lemma heard_silence : forall queues t, heard_queues queues (S (2 * t)) = silent_end.
Proof.
  intros. unfold heard_queues. replace (Nat.even (S (2 * t))) with false; auto.
  symmetry. rewrite Nat.even_succ, <- Nat.negb_even. apply negb_false_iff, Nat.even_spec. exists t. auto.
Qed.

Lemma in_heard : forall t q, In q (heard t) -> (exists q', q = (2 * q')%nat /\ In q' (queues_of t)) \/ q = S (2 * t).
Proof.
  intros t q I. unfold heard in I. destruct (queues_of t) as [|x l] eqn:Q.
  - destruct (existsb (Nat.eqb t) (emitted_in p)); [contradiction|]. destruct I as [<-|[]]. auto.
  - apply in_map_iff in I as (q' & <- & I). left. exists q'. auto.
Qed.
Lemma heard_sends : forall queues stream, sends queues_of queues stream -> sends heard (heard_queues queues) stream.
Proof.
  intros queues stream (Ho & Te & St). split; [|split].
  - intros q. unfold heard_queues. destruct (Nat.even q); auto. simpl. auto.
  - intros t q I. destruct (in_heard t q I) as [(q' & -> & I')| ->].
    + rewrite heard_twice. eauto.
    + rewrite heard_silence. constructor.
  - intros t. rewrite St. unfold sent_from_outside, heard.
    destruct (queues_of t) as [|x l].
    + destruct (existsb (Nat.eqb t) (emitted_in p)); [reflexivity|]. cbn [flat_map]. rewrite heard_silence.
      reflexivity.
    + assert (Eq : forall l, flat_map (fun q => payloads (heard_queues queues q)) (map (fun q => 2 * q)%nat l) =
        flat_map (fun q => payloads (queues q)) l).
      { induction l0 as [|y l0 IH]; auto. cbn [map flat_map]. rewrite heard_twice, IH. auto. }
      rewrite Eq. auto.
Qed.
Lemma heard_family : forall queues stream, family queues_of queues stream -> family heard (heard_queues queues) stream.
Proof.
  intros queues stream F. destruct (heard_sends queues stream) as (Ho & Te & St); [destruct F; repeat split; auto|].
  destruct F as [_ En _ _]. constructor; auto. intros t q I. destruct (in_heard t q I) as [(q' & -> & I')| ->].
  - rewrite heard_twice. eauto.
  - rewrite heard_silence. exists [], (Token [infinity] None). split; auto. simpl. constructor; [lia|constructor].
Qed.

End Silence.

Section Unspoken.
Context {E : Events}.
Variables (queues_of : nat -> list nat) (reach : Z) (p : list written_stratum).
Let compiled_program := compile (heard queues_of (closed_program p)) (closed_program p).
Let net := graph compiled_program.
Hypothesis Checked : checked_but_for_sources (closed_program p) reach.
Hypothesis Related : all_related p.
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

Lemma heard_after : forall all before after x, stage net all before after x ->
  stage net all (heard_queues before) (heard_queues after) x.
Proof.
  intros [|] before after x; simpl.
  - intros [-> R]. auto.
  - intros C q. unfold heard_queues. destruct (Nat.even q); auto. exists []. rewrite app_nil_r. auto.
Qed.

(* Of every machine of Weakened.v, in the end and before. *)
Lemma heard_rules_observed : forall all before after stream limit x, stage net all before after x ->
  family queues_of after stream -> leads_to net limit (loose_start net (heard_queues before)) x ->
  Forall2 (fun i r => covers all (reported (state (plain x) i)) r) (ends compiled_program) (meaning p stream) /\
  Forall2 (fun js es => covers all (emitted_at (sent x) js) es)
    (productions (ends compiled_program) (written_counts p)) (emitted_meaning p stream).
Proof.
  intros all before after stream limit x S F R.
  apply (written_rules_observed (heard queues_of (closed_program p)) reach p (heard_checked _ _ _ Checked) Related Far
    all
    (heard_queues before) (heard_queues after) stream limit x (heard_after _ _ _ _ S)); auto.
  apply heard_family. auto.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, silent-templates). *)
Theorem every_run_that_rests_is_adequate_where_nobody_speaks_of_a_template : forall queues stream,
  family queues_of queues stream -> forall c,
  reaches net (fun _ => unlimited) (start net (heard_queues queues)) c -> final net (fun _ => unlimited) c ->
  Forall2 (fun i r => Permutation (reported (state c i)) r) (ends compiled_program) (meaning p stream).
Proof.
  intros queues stream F c R Fi. eapply every_run_that_rests_has_reported_exactly_the_meaning; eauto.
  - apply heard_checked. exact Checked.
  - apply heard_family. exact F.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, silent-templates). *)
Theorem nothing_is_reported_early_where_nobody_speaks_of_a_template : forall before after stream,
  (forall q, exists more, after q = before q ++ more) -> family queues_of after stream ->
  forall limit c, reaches net limit (start net (heard_queues before)) c ->
  Forall2 (fun i r => exists more, Permutation (reported (state c i) ++ more) r) (ends compiled_program)
    (meaning p stream).
Proof.
  intros before after stream C F limit c R.
  eapply what_a_run_has_reported_is_in_the_meaning_of_every_continuation with (before := heard_queues before)
    (after := heard_queues after); eauto.
  - apply heard_checked. exact Checked.
  - intros q. unfold heard_queues. destruct (Nat.even q); auto. exists []. rewrite app_nil_r. auto.
  - apply heard_family. exact F.
Qed.
End Unspoken.

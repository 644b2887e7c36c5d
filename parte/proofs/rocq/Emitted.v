(* What the rules emit, of every stratum, the top one too: all that their productions have sent on (specification:
   production-bound, emitted-and-external). Each emitted event has its timestamp. *)
From Parte Require Export NoEarlyAnswer Places.

(* At rest a result is all there is; before, it is part of what there will be. *)
Definition covers (all : bool) {A} (a b : list A) : Prop :=
  if all then Permutation a b else exists more, Permutation (a ++ more) b.

Lemma covers_same : forall all A (a b c : list A), covers all a b -> Permutation b c -> covers all a c.
Proof. intros [|] A a b c; simpl; [intros -> ; auto|intros [m <-] P; exists m; auto]. Qed.
Lemma covers_map : forall all A B (f : A -> B) a b, covers all a b -> covers all (map f a) (map f b).
Proof.
  intros [|] A B f a b; simpl; [apply Permutation_map|intros [m P]; exists (map f m)].
  rewrite <- map_app. apply Permutation_map. auto.
Qed.
Lemma covers_flat_map : forall all A B (f : A -> list B) a b, covers all a b -> covers all (flat_map f a) (flat_map f
  b).
Proof.
  intros [|] A B f a b; simpl; [apply Permutation_flat_map|intros [m P]; exists (flat_map f m)].
  rewrite <- flat_map_app. apply Permutation_flat_map. auto.
Qed.
Lemma covers_nil : forall all A, covers all (@nil A) [].
Proof. intros [|] A; simpl; auto. exists []. auto. Qed.
Lemma covers_app : forall all A (a b c d : list A), covers all a b -> covers all c d -> covers all (a ++ c) (b ++ d).
Proof.
  intros [|] A a b c d; simpl; [apply Permutation_app|intros [m P] [n Q]; exists (m ++ n)].
  rewrite <- P, <- Q, <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc.
  apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma covers_all : forall all A B C (f : A -> list C) (g : B -> list C) xs ys,
  Forall2 (fun x y => covers all (f x) (g y)) xs ys -> covers all (flat_map f xs) (flat_map g ys).
Proof. intros all A B C f g xs ys F. induction F; simpl; [apply covers_nil|apply covers_app; auto]. Qed.

Lemma Forall2_weaker : forall A B (P Q : A -> B -> Prop) xs ys, (forall x y, P x y -> Q x y) -> Forall2 P xs ys ->
  Forall2 Q xs ys.
Proof. intros A B P Q xs ys H F. induction F; auto. Qed.

Section Emitted.
Context {E : Events}.

(* The productions of a rule follow its terminal node. *)
Definition productions (ends counts : list nat) : list (list nat) :=
  map (fun x => seq (S (fst x)) (snd x)) (combine ends counts).
Definition emission_counts (p : program) : list nat := map (fun r => length (emissions r)) (rules_of p).
Definition emitted_at (s : nat -> list token) (js : list nat) : list event := flat_map (fun j => concat (payloads (s
  j)))
  js.
(* Specification: strata-in-order. What each rule emits, the lowest stratum first. *)
Fixpoint emitted_results (p : program) (stream : list event) : list (list event) :=
  match p with
  | [] => []
  | s :: above =>
      map (emitted_events stream) (rules s)
      ++ emitted_results above (stream ++ flat_map (emitted_events stream) (rules s))
  end.

(* ---- What they send ---------------------------------------------------------------------------------------------- *)

(* The productions of a rule read what its terminal node reads. *)
Definition production_place (g : network) (i : nat) (r : rule) : Prop := exists last,
  nth_error g i = Some (Vertex Terminal [Internal last]) /\
  forall n m, nth_error (emissions r) n = Some m -> nth_error g (S i + n) = Some (production last m).
Lemma placed_at : forall qs reach p, checked qs reach [] [] p ->
  Forall2 (production_place (graph (compile qs p))) (ends (compile qs p)) (rules_of p).
Proof.
  intros qs reach p C. destruct (everything_has_its_place qs reach p C) as (known & P).
  eapply Forall2_weaker; [|exact (p_rules _ _ _ _ P)]. intros i r (_ & f & k & c & last & R).
  exists last. split; apply R.
Qed.

Lemma emitted_flat : forall (ms : list emission) (V : list partial),
  flat_map (fun m => concat (flat_map (emitted (generate m)) V)) ms = flat_map (emitted_by V) ms.
Proof.
  intros ms V. apply flat_map_ext. intros m. unfold emitted_by. induction V as [|v V IH]; simpl; auto.
  rewrite concat_app, IH. unfold emitted. destruct (generate m v); auto.
Qed.

Lemma flat_map_seq : forall A B (f : nat -> list B) (g : A -> list B) l n,
  (forall k a, nth_error l k = Some a -> f (n + k)%nat = g a) -> flat_map f (seq n (length l)) = flat_map g l.
Proof.
  intros A B f g. induction l as [|a l IH]; simpl; intros n H; auto. f_equal.
  - specialize (H 0%nat a eq_refl). rewrite Nat.add_0_r in H. auto.
  - apply IH. intros k b K. rewrite <- (H (S k) b K). f_equal. lia.
Qed.

Section Of_a_network.
Variables (net : network) (reach : Z) (queues : nat -> list token).
Hypothesis Net : sound_network net reach.
Notation value i := (nth i (values queues net) []).

Lemma production_value : forall i r, production_place net i r ->
  flat_map (fun j => concat (value j)) (seq (S i) (length (emissions r))) = flat_map (emitted_by (value i)) (emissions
    r).
Proof.
  intros i r (last & T & P). rewrite (value_at net queues reach Net i _ T), <- emitted_flat.
  apply flat_map_seq. intros k m M. pose proof (P k m M) as V. rewrite (value_at net queues reach Net _ _ V).
  unfold valued. simpl. auto.
Qed.
End Of_a_network.

Lemma emitted_results_are : forall p stream rs, results p stream = rs ->
  emitted_results p stream = map (fun x => flat_map (emitted_by (snd x)) (emissions (fst x))) (combine (rules_of p) rs).
Proof.
  induction p as [|s p IH]; simpl; intros stream rs <-; auto. unfold emitted_events.
  assert (C : forall (l : list rule) l' (f : rule -> list partial) rs', combine (l ++ l') (map f l ++ rs') =
    map (fun r => (r, f r)) l ++ combine l' rs').
  { induction l as [|r l IHl]; simpl; intros; auto. f_equal. auto. }
  rewrite C, map_app, map_map. f_equal. apply IH. auto.
Qed.

Section Of_a_program.
Variables (queues_of : nat -> list nat) (reach : Z) (queues : nat -> list token) (p : program) (stream : list event).
Hypothesis Checked : checked queues_of reach [] [] p.
Hypothesis Arriving : forall t, Permutation (of t stream) (sent_from_outside queues_of queues t).
Let built_ := compile queues_of p.
Let net := graph built_.
Notation value i := (nth i (values queues net) []).

Lemma emitted_values : Forall2 (fun js es => Permutation (flat_map (fun j => concat (value j)) js) es)
  (productions (ends built_) (emission_counts p)) (emitted_results p stream).
Proof.
  rewrite (emitted_results_are p stream _ eq_refl).
  pose proof (values_are_results queues_of reach queues p stream Checked Arriving) as V.
  pose proof (placed_at queues_of reach p Checked) as P. unfold productions, emission_counts. fold built_ in V, P. fold
    net in V, P.
  pose proof (compiled_soundly queues_of reach queues p stream Checked Arriving) as Net. fold built_ in Net.
  fold net in Net.
  revert V P. generalize (ends built_) (results p stream) (rules_of p).
  intros is rs l V. revert l. induction V as [|i r is rs [(v & Vi & T) Pv] V IH]; intros l P; inversion P; subst; simpl;
    constructor; auto.
  rewrite (production_value net reach queues Net i y H1). apply flat_map_values. intros m _.
  apply Permutation_flat_map. auto.
Qed.

(* Whatever is a machine: if all its nodes report or have sent their values, then so do its rules. *)
Lemma rules_observed : forall all rep s, (forall i v, nth_error net i = Some v ->
    covers all (if is_terminal (kind_of v) then rep i else payloads (s i)) (value i)) ->
  Forall2 (fun i r => covers all (rep i) r) (ends built_) (results p stream) /\
  Forall2 (fun js es => covers all (emitted_at s js) es) (productions (ends built_) (emission_counts p))
    (emitted_results p stream).
Proof.
  intros all rep s H. split.
  - pose proof (values_are_results queues_of reach queues p stream Checked Arriving) as V.
    fold built_ in V. fold net in V. induction V as [|i r is rs [(v & Vi & T) Pv] V IH]; constructor; auto.
    eapply covers_same; [|exact Pv]. specialize (H i v Vi). rewrite T in H. exact H.
  - pose proof emitted_values as V. pose proof (placed_at queues_of reach p Checked) as P. fold built_ in P. fold net
    in P.
    unfold productions, emission_counts in *. revert V P. generalize (emitted_results p stream) (ends built_) (rules_of
      p).
    intros es is. revert es. induction is as [|i is IH]; intros es l V P; inversion P; subst; simpl in *; inversion V;
      subst; constructor; eauto.
    eapply covers_same; [|eassumption]. unfold emitted_at. destruct H2 as (last & T & Pl).
    apply covers_all. assert (N : forall k, (k < length (emissions y))%nat -> exists v,
        nth_error net (S i + k) = Some v /\ is_terminal (kind_of v) = false).
    { intros k Lk. destruct (nth_error (emissions y) k) as [m|] eqn:M; [|apply nth_error_None in M; lia].
      exists (production last m). split; auto. }
    assert (Go : forall n c, (n + c <= length (emissions y))%nat -> Forall2 (fun j j' =>
        covers all (concat (payloads (s j))) (concat (value j'))) (seq (S i + n) c) (seq (S i + n) c)).
    { intros n c. revert n. induction c as [|c IHc]; intros n L; constructor.
      - destruct (N n ltac:(lia)) as (v & V1 & T1). specialize (H _ v V1). rewrite T1 in H.
        rewrite <- (map_id (payloads _)), <- (map_id (value _)), <- !flat_map_concat_map. apply covers_flat_map. auto.
      - replace (S (S i + n)) with (S i + S n)%nat by lia. apply IHc. lia. }
    specialize (Go 0%nat _ (Nat.le_refl _)). rewrite Nat.add_0_r in Go. exact Go.
Qed.
End Of_a_program.
End Emitted.

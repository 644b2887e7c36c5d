(* The sizes that the checker counts for a self-join of two sources, and for a negation before a join, meet all that
   Room.v asks: no run blocks, whatever the schedule. *)
From Parte Require Export Reaches Printed.

(* a: A, b: A when b in a [0 ms, 1 ms]; two sources of A, each of one event a millisecond. *)
Definition the_self_join : network :=
  [Vertex (Entry A 2) [External 0; External 1]; Vertex (Alpha any) [Internal 0]; Vertex (Alpha any) [Internal 0];
   Vertex (TwoInput false [0] [1] any) [Internal 1; Internal 2]; Vertex Terminal [Internal 3]].
Definition sent_by (first second : Z) : list token :=
  map (fun e => Token [stamp e] (Some [e])) [Occurrence first A 0; Occurrence second A 1] ++ [the_end].
Definition two_senders (q : nat) : list token :=
  match q with 0%nat => sent_by 1 2 | 1%nat => sent_by 3 4 | _ => [the_end] end.
(* On the left at most 2 events of each source are live, and one is ahead; on the right 1 of each; and one more each.
  *)
Definition six_and_four (_ : nat) : limits := Limits (Some 6%nat) (Some 4%nat) (Some 1%nat) None true.

Lemma the_self_join_is_sound : sound_network the_self_join 1.
Proof.
  intros i v V. destruct i as [|[|[|[|[|i]]]]]; simpl in V; [..|destruct i; discriminate]; inversion V; subst;
    constructor; simpl; auto; try (intros; discriminate).
  - intros j [H|[H|[]]]; discriminate.
  - intros n slots j _ [H|[H|[]]]; discriminate.
  - intros j [H|[]]. inversion H; subst. split; [lia|]. eexists. split; reflexivity.
  - intros j [H|[]]. inversion H; subst. split; [lia|]. eexists. split; reflexivity.
  - split; auto. split; [discriminate|]. split; auto. split; constructor; auto; lia.
  - intros j [H|[H|[]]]; inversion H; subst; (split; [lia|]); eexists; split; reflexivity.
  - exists 2%nat. auto.
  - intros j [H|[]]. inversion H; subst. split; [lia|]. eexists. split; reflexivity.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: size-viable). *)
Theorem sizes_of_six_and_four_never_block_the_self_join : forall c,
  reaches the_self_join six_and_four (start the_self_join two_senders) c -> final the_self_join six_and_four c ->
  rested c.
Proof.
  assert (Le : forall x y, (x <=? y) = true -> x <= y) by (intros; apply Z.leb_le; auto).
  assert (Honest : honest_sources two_senders).
  { intros [|[|q]]; simpl; repeat split; auto; repeat constructor; apply Le; reflexivity. }
  assert (Own : own_templates the_self_join two_senders).
  { intros i v n slots q V K I. destruct i as [|[|[|[|[|i]]]]]; simpl in V; [..|destruct i; discriminate];
      inversion V; subst; simpl in *; try discriminate. inversion K; subst.
    destruct I as [I|[I|[]]]; inversion I; subst; repeat constructor. }
  assert (Punctual : forall q, prompt 0 (- infinity) (two_senders q)).
  { intros [|[|q]]; simpl; repeat split; apply Le; reflexivity. }
  assert (Rated : forall q, 0 < 1 /\ rated 1 1 (map moment (payloads (two_senders q)))).
  { assert (Two : rated 1 1 [0; 1]).
    { intros x. simpl. unfold Sizes.between. destruct (Z.leb_spec x 0), (Z.leb_spec 0 (x + 1 - 1)), (Z.leb_spec x 1),
        (Z.leb_spec 1 (x + 1 - 1)); simpl; lia. }
    intros [|[|q]]; (split; [lia|]); [exact Two|exact Two|]. intros x. simpl. lia. }
  intros c R F.
  apply (rules_with_negations_and_sets_with_room_for_every_crowd_never_block the_self_join two_senders 1
    the_self_join_is_sound Honest Own (fun _ => 0) Punctual six_and_four (fun _ => eq_refl) c); auto.
  - intros i k [|[|q]] _; reflexivity.
  - intros i v V. destruct i as [|[|[|[|[|i]]]]]; simpl in V; [..|destruct i; discriminate]; inversion V; subst;
      try exact I.
    apply (a_node_of_two_patterns_has_room_for_what_is_counted the_self_join two_senders 1
        the_self_join_is_sound Honest (fun _ => 0) six_and_four
      (fun _ => 1%nat) (fun _ => 1) Rated 3 (TwoInput false [0] [1] any) 0 1 1 2 [0%nat; 1%nat] [0%nat; 1%nat]).
    + left. eauto.
    + exists any, 0%nat, A, 2%nat. auto.
    + exists any, 0%nat, A, 2%nat. auto.
    + repeat constructor; simpl; intuition discriminate.
    + repeat constructor; simpl; intuition discriminate.
    + intros n L. apply Nat.leb_le. exact L.
    + intros n L. apply Nat.leb_le. exact L.
Qed.

(* ---- A negation before a join
  -------------------------------------------------------------------------------------- *)

(* a: A, no c: C, b: B when no c in a [0 ms, 1 ms], b in a [0 ms, 2 ms]; a source of each, of one event a millisecond.
  *)
Definition the_negation : network :=
  [Vertex (Entry A 1) [External 0]; Vertex (Entry B 1) [External 1]; Vertex (Entry C 1) [External 2];
   Vertex (Alpha any) [Internal 0]; Vertex (Alpha any) [Internal 1]; Vertex (Alpha any) [Internal 2];
   Vertex (TwoInput true [0] [1] any) [Internal 3; Internal 5];
   Vertex (TwoInput false [0] [2] any) [Internal 6; Internal 4]; Vertex Terminal [Internal 7]].
Definition sizes_of_the_negation (i : nat) : limits :=
  match i with
  | 6%nat => Limits (Some 3%nat) (Some 2%nat) (Some 1%nat) None true
  | 7%nat => Limits (Some 5%nat) (Some 3%nat) (Some 1%nat) None true
  | _ => Limits None None (Some 1%nat) None true end.

(* Sources that are never late and send an event a millisecond at most, each once, until they end. *)
Record one_a_millisecond (net : network) (queues : nat -> list token) : Prop := OneAMillisecond {
  are_honest : honest_sources queues;
  are_of_their_templates : own_templates net queues;
  are_prompt : forall q, prompt 0 (- infinity) (queues q);
  are_rated : forall q, 0 < 1 /\ rated 1 1 (map moment (payloads (queues q)));
  come_once : forall q, NoDup (payloads (queues q));
  they_end : forall i k q, reads net i k (External q) = true -> last_promise (queues q) = infinity }.

Lemma the_negation_is_sound : sound_network the_negation 2.
Proof.
  intros i v V. destruct i as [|[|[|[|[|[|[|[|[|i]]]]]]]]]; simpl in V; [..|destruct i; discriminate];
    inversion V; subst; constructor; simpl; auto; try (intros; discriminate);
    try (intros j [H|[H|[]]]; inversion H; subst; (split; [lia|]); eexists; split; reflexivity);
    try (intros j [H|[]]; inversion H; subst; (split; [lia|]); eexists; split; reflexivity);
    try (intros j [H|[]]; discriminate);
    try (intros n slots j _ [H|[]]; discriminate).
  - split; auto. split; [discriminate|]. split; auto. split; constructor; auto; lia.
  - split; auto. split; [discriminate|]. split; auto. split; constructor; auto; lia.
  - exists 2%nat. auto.
Qed.

Section The_negation.
Variable queues : nat -> list token.
Hypothesis Sent : one_a_millisecond the_negation queues.
Notation once := (fun _ : nat => 1%nat).
Notation a_millisecond := (fun _ : nat => 1).
Lemma from_one : forall q, NoDup (from_all queues [q]).
Proof. intros q. unfold from_all. simpl. rewrite app_nil_r. apply Sent. Qed.
Lemma those_of : forall j q, Entries.pattern the_negation j [q] -> forall p, In p (Flows.value the_negation queues j)
  ->
  length p = 1%nat /\ forall v y, nth_error p v = Some y -> In y (first_events (from_all queues [q])).
Proof.
  intros j q Pt p I. pose proof (part_of_incl _ _ _ (a_value_of_a_pattern_is_part the_negation queues 2
    the_negation_is_sound j [q] Pt) p I) as If.
  assert (W : length p = 1%nat).
  { unfold from_all in If. apply in_flat_map in If as (q' & _ & Iq).
    pose proof (honest_widths _ _ (are_honest _ _ Sent q')) as W. rewrite Forall_forall in W. auto. }
  split; auto. destruct p as [|e [|? ?]]; try discriminate. intros [|v] y Ny; [|destruct v; discriminate].
  injection Ny as <-. unfold first_events. apply in_flat_map. exists [e]. simpl. auto.
Qed.
Lemma each_once : forall j q ps, Entries.pattern the_negation j [q] -> part_of ps (Flows.value the_negation queues j)
  -> NoDup ps.
Proof.
  intros j q ps Pt P. eapply part_of_nodup; [exact P|]. eapply part_of_nodup; [|apply (from_one q)].
  apply (a_value_of_a_pattern_is_part the_negation queues 2 the_negation_is_sound j [q] Pt).
Qed.

(* PARTE/PROC, PARTE/PROP, PARTE/NOT-* (specification: size-viable): 3 and 2 at the not-node, 5 and 3 at the join
  below,
   as the checker counts, whatever the sources send. *)
Theorem sizes_of_three_two_five_and_three_never_block_the_negation : forall c,
  reaches the_negation sizes_of_the_negation (start the_negation queues) c ->
  final the_negation sizes_of_the_negation c -> rested c.
Proof.
  destruct Sent as [Honest Own Punctual Rated Once Ends].
  assert (P3 : Entries.pattern the_negation 3 [0%nat]) by (exists any, 0%nat, A, 1%nat; auto).
  assert (P4 : Entries.pattern the_negation 4 [1%nat]) by (exists any, 1%nat, B, 1%nat; auto).
  assert (P5 : Entries.pattern the_negation 5 [2%nat]) by (exists any, 2%nat, C, 1%nat; auto).
  assert (Turns : forall i, turns (sizes_of_the_negation i) = true).
  { intros i. do 8 (destruct i as [|i]; [reflexivity|]). reflexivity. }
  assert (Slots : forall i, inbox_room (sizes_of_the_negation i) = Some 1%nat /\
    outbox_room (sizes_of_the_negation i) = None).
  { intros i. do 8 (destruct i as [|i]; [split; reflexivity|]). split; reflexivity. }
  intros c R F.
  apply (rules_with_negations_and_sets_with_room_for_every_crowd_never_block the_negation queues 2
    the_negation_is_sound Honest Own (fun _ => 0) Punctual sizes_of_the_negation Turns c); auto.
  - intros i. destruct (Slots i) as [-> _]. reflexivity.
  - intros i v k t rest _ _. destruct (Slots i) as [_ ->]. reflexivity.
  - intros i v V. destruct i as [|[|[|[|[|[|[|[|[|i]]]]]]]]]; simpl in V; [..|destruct i; discriminate];
      inversion V; subst; try exact I.
    + apply (a_node_of_two_patterns_has_room_for_what_is_counted the_negation queues 2 the_negation_is_sound Honest
        (fun _ => 0) sizes_of_the_negation once a_millisecond Rated 6 (TwoInput true [0] [1] any) 0 1 3 5 [0%nat]
          [2%nat]);
        auto using from_one; [left; eauto|intros n L; apply Nat.leb_le; exact L..].
    + unfold has_room. cbn [kind_of]. exists 6%nat, 4%nat. do 6 eexists. split; [reflexivity|]. split; [|split;
      [|split]].
      * apply (Of_a_negation the_negation queues (fun _ => 0) sizes_of_the_negation 6 [0] [1] any 3 5 [0] [2%nat] 3);
        auto.
        -- apply Of_a_pattern. exact P3.
        -- intros ps Pt. apply Forall_forall. intros p Ip. destruct (those_of 3 0 P3 p (part_of_incl _ _ _ Pt p Ip))
          as [W _].
           destruct p as [|e [|? ?]]; try discriminate. unfold opens, closes, lifetime_opens, lifetime_closes. simpl.
             lia.
      * apply Of_a_pattern. exact P4.
      * intros m ps (Pt & Live & x & (y & Ly & ->) & Led).
        assert (Few : forall far, reaches_to (fun p => In p (Flows.value the_negation queues 3)) y far (eq 0%nat) ->
          fixes (fun p => In p (Flows.value the_negation queues 3)) y (eq 0%nat) ->
          (length ps <= fit_into_all once a_millisecond [0%nat] (2 + 0 + far 0%nat) * 1 + allowed (in_steps y) 0 *
            1)%nat).
        { intros far Rc Fx. eapply Nat.le_trans; [apply (a_crowd_of_partial_matches_is_no_more_than_is_counted
            (fun _ => first_events (from_all queues [0%nat])) (fun _ => fit_into_all once a_millisecond [0%nat])
            (fun _ => so_many_come_within_a_window queues once a_millisecond Honest Rated [0%nat])
            (fun p => In p (Flows.value the_negation queues 3)) 1 (those_of 3 0 P3) (in_steps y) m 0 [2] far (eq
              0%nat) (eq 0%nat)
            [(0%nat, Root)] [(0%nat, Root)] ps)|]; auto.
          - exact (each_once 3 0 ps P3 Pt).
          - apply Forall_forall, (part_of_incl _ _ _ Pt).
          - eapply Forall_impl; [|exact Live]. simpl. tauto.
          - constructor; simpl; auto; [intros v Lv; left; lia|repeat constructor; auto].
          - constructor; simpl; auto; [intros v Lv; left; lia|repeat constructor; auto]. }
        apply Nat.leb_le. destruct Ly as [<-| ->].
        -- specialize (Few (fun _ => 0) (a_source_reaches queues (fun _ => 0) _ [0%nat] 0 ltac:(intros; lia))
             (a_source_fixes queues (fun _ => 0) _ [0%nat] _)). change (length ps <= 4)%nat in Few. lia.
        -- assert (length ps <= 4)%nat; [apply (Few (fun _ => -2))|lia].
           ++ intros m' p v z Ap H <- Nz. destruct (those_of 3 0 P3 p Ap) as [W _].
              destruct p as [|e [|? ?]]; try discriminate. injection Nz as <-.
              change (time e + 1 < m') in H. lia.
           ++ apply what_was_released_is_fixed.
      * intros m ps C0. apply Nat.leb_le. apply (a_crowd_on_the_right_is_no_more_than_is_counted the_negation queues 2
          the_negation_is_sound Honest (fun _ => 0) once a_millisecond Rated 4 [1%nat]) in C0; auto using from_one.
        change (length ps <= 2)%nat in C0. lia.
Qed.
End The_negation.

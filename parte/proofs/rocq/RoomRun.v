(* A self-join whose template two sources send: the sizes that are counted for it meet all that Room.v asks, so that no
   run blocks, whatever the schedule. *)
From Parte Require Export Counts Printed.

(* a: A, b: A when b in a [0 ms, 1 ms]; two sources of A, each of one event a millisecond. *)
Definition the_self_join : network :=
  [Vertex (Entry A 2) [External 0; External 1]; Vertex (Alpha any) [Internal 0]; Vertex (Alpha any) [Internal 0];
   Vertex (TwoInput false [0] [1] any) [Internal 1; Internal 2]; Vertex Terminal [Internal 3]].
Definition sent_by (first second : Z) : list token :=
  map (fun e => Token [stamp e] (Some [e])) [Occurrence first A 0; Occurrence second A 1] ++ [the_end].
Definition two_senders (q : nat) : list token :=
  match q with 0%nat => sent_by 1 2 | 1%nat => sent_by 3 4 | _ => [the_end] end.
(* On the left at most 2 events of each source are live, and one is ahead; on the right 1 of each; and one more each. *)
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
  apply (rules_of_joined_patterns_with_room_for_every_crowd_never_block the_self_join two_senders 1
    the_self_join_is_sound Honest Own (fun _ => 0) Punctual six_and_four (fun _ => eq_refl) c); auto.
  - intros i k [|[|q]] _; reflexivity.
  - intros i v V. destruct i as [|[|[|[|[|i]]]]]; simpl in V; [..|destruct i; discriminate]; inversion V; subst;
      try exact I.
    apply (a_join_of_two_patterns_has_room_for_what_is_counted the_self_join two_senders 1
        the_self_join_is_sound Honest (fun _ => 0) six_and_four
      (fun _ => 1%nat) (fun _ => 1) Rated 3 0 1 any 1 2 [0%nat; 1%nat] [0%nat; 1%nat]).
    + exists any, 0%nat, A, 2%nat. auto.
    + exists any, 0%nat, A, 2%nat. auto.
    + repeat constructor; simpl; intuition discriminate.
    + repeat constructor; simpl; intuition discriminate.
    + intros n L. apply Nat.leb_le. exact L.
    + intros n L. apply Nat.leb_le. exact L.
Qed.

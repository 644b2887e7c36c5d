(* The sizes that the checker counts for a rule whose emissions another rule joins meet all that Room.v asks: no run
   blocks, whatever the schedule. *)
From Parte Require Export RoomRun.

(* a: A, b: B when b in a [0 ms, 1 ms] then emit D at b.timestamp
   d: D, c: C when c in d [0 ms, 2 ms]; a source of each of A, B, C, of one event a millisecond. *)
Section The_strata.
Definition D : nat := 3%nat.
Variable generate : partial -> option event.
Hypothesis Emits : forall p e, generate p = Some e -> exists x y, p = [x; y] /\ template e = D /\ time e = time y.
Definition at_the_second (b : list Z) : Z := nth 1 b 0.
Definition the_strata : network :=
  [Vertex (Entry A 1) [External 0]; Vertex (Entry B 1) [External 1]; Vertex (Entry C 1) [External 2];
   Vertex (Alpha any) [Internal 0]; Vertex (Alpha any) [Internal 1]; Vertex (Alpha any) [Internal 2];
   Vertex (TwoInput false [0] [1] any) [Internal 3; Internal 4]; Vertex Terminal [Internal 6];
   Vertex (Production generate at_the_second 0) [Internal 6]; Vertex (Entry D 1) [Internal 8];
   Vertex (Alpha any) [Internal 9]; Vertex (TwoInput false [0] [2] any) [Internal 10; Internal 5];
   Vertex Terminal [Internal 11]].
Definition sizes_of_the_strata (i : nat) : limits :=
  match i with
  | 6%nat => Limits (Some 3%nat) (Some 2%nat) (Some 1%nat) None true
  | 11%nat => Limits (Some 11%nat) (Some 2%nat) (Some 1%nat) None true
  | _ => Limits None None (Some 1%nat) None true end.

Lemma the_strata_are_sound : sound_network the_strata 2.
Proof.
  intros i v V. destruct i as [|[|[|[|[|[|[|[|[|[|[|[|[|i]]]]]]]]]]]]]; simpl in V; [..|destruct i; discriminate];
    inversion V; subst; constructor; simpl; auto; try (intros; discriminate);
    try (intros j [H|[H|[]]]; inversion H; subst; (split; [lia|]); eexists; split; reflexivity);
    try (intros j [H|[]]; inversion H; subst; (split; [lia|]); eexists; split; reflexivity);
    try (intros j [H|[]]; discriminate);
    try (intros n slots j _ [H|[]]; discriminate);
    try (split; auto; split; [discriminate|]; split; auto; split; constructor; auto; lia);
    try (exists 2%nat; auto).
  - split; auto. split; [lia|]. split; [|split].
    + intros a b L Be. unfold at_the_second. inversion Be as [|? ? ? ? _ Be']; subst; [simpl; lia|].
      inversion Be'; subst; simpl; lia.
    + intros p e L G. destruct (Emits p e G) as (x & y & -> & _ & T). change (time y <= time e). lia.
    + intros x b L F. destruct b as [|b0 [|b1 [|? ?]]]; try discriminate. inversion F as [|? ? _ F']; subst.
      inversion F'; subst. unfold at_the_second. simpl. lia.
  - intros n slots j Eq [H|[]]. inversion Eq; inversion H; subst. eexists. split; [reflexivity|]. simpl.
    intros p e G. destruct (Emits p e G) as (x & y & _ & T & _). exact T.
Qed.

Variable queues : nat -> list token.
Hypothesis Sent : one_a_millisecond the_strata queues.
Notation once := (fun _ : nat => 1%nat).
Notation a_millisecond := (fun _ : nat => 1).
Notation of_sources := (Flows.of_sources queues (fun _ => 0)).
Notation value := (Flows.value the_strata queues).
(* What the first rule may match, and who may lead it. *)
Definition its_matches (ps : list partial) : Prop := exists a b, part_of a (value 3) /\ part_of b (value 4) /\
  part_of ps (joined [0] [1] any a b).
Definition its_leads (x : lead) : Prop := (exists y, of_sources [0%nat] = y /\ x = image on_its_left (in_steps y)) \/
  (exists y, of_sources [1%nat] = y /\ x = image (on_its_right 1) (in_steps y)).
Hypothesis Different : forall p p' r, its_matches [p] -> its_matches [p'] -> In r (emitted generate p) ->
  In r (emitted generate p') -> p = p'.

Lemma a_single_event : forall j q p, Entries.pattern the_strata j [q] -> In p (value j) -> exists e, p = [e] /\
  In e (first_events (from_all queues [q])).
Proof.
  intros j q p Pt I. pose proof (part_of_incl _ _ _ (a_value_of_a_pattern_is_part the_strata queues 2
    the_strata_are_sound j [q] Pt) p I) as If.
  assert (W : length p = 1%nat).
  { unfold from_all in If. apply in_flat_map in If as (q' & _ & Iq).
    pose proof (honest_widths _ _ (are_honest _ _ Sent q')) as W. rewrite Forall_forall in W. auto. }
  destruct p as [|e [|? ?]]; try discriminate. exists e. split; auto. apply in_flat_map. exists [e]. simpl. auto.
Qed.
Lemma only_once : forall j q ps, Entries.pattern the_strata j [q] -> part_of ps (value j) -> NoDup ps.
Proof.
  intros j q ps Pt P. eapply part_of_nodup; [exact P|]. eapply part_of_nodup.
  - apply (a_value_of_a_pattern_is_part the_strata queues 2 the_strata_are_sound j [q] Pt).
  - unfold from_all. simpl. rewrite app_nil_r. apply Sent.
Qed.
Lemma P3 : Entries.pattern the_strata 3 [0%nat]. Proof. exists any, 0%nat, A, 1%nat. auto. Qed.
Lemma P4 : Entries.pattern the_strata 4 [1%nat]. Proof. exists any, 1%nat, B, 1%nat. auto. Qed.
Lemma P5 : Entries.pattern the_strata 5 [2%nat]. Proof. exists any, 2%nat, C, 1%nat. auto. Qed.
Lemma a_match_of_two : forall ps p, its_matches ps -> In p ps -> exists x y, p = [x; y] /\
  In x (first_events (from_all queues [0%nat])) /\ In y (first_events (from_all queues [1%nat])) /\
  0 <= time y - time x <= 1.
Proof.
  intros ps p (a & b & Pa & Pb & Pt) I. apply (part_of_incl _ _ _ Pt) in I. pose proof I as J.
  unfold joined in I. apply in_map_iff in I as ([u w] & <- & I). apply filter_In in I as [I _].
  apply in_prod_iff in I as [Iu Iw]. apply (part_of_incl _ _ _ Pa) in Iu. apply (part_of_incl _ _ _ Pb) in Iw.
  destruct (a_single_event 3 0 u P3 Iu) as (x & -> & Ix), (a_single_event 4 1 w P4 Iw) as (y & -> & Iy).
  exists x, y. simpl. repeat split; auto;
    apply (windows_are_distances [0] [1] any a b 0 0 1 eq_refl ltac:(apply Forall_forall; intros q Iq;
      apply (part_of_incl _ _ _ Pa) in Iq; destruct (a_single_event 3 0 q P3 Iq) as (z & -> & _); auto) eq_refl eq_refl
      [x; y] x y J eq_refl eq_refl).
Qed.
Definition places (v : nat) : list event := first_events (from_all queues [v]).
Definition so_many (_ : nat) : Z -> nat := fit_into_all once a_millisecond [0%nat].
Lemma a_match_is_of_places : forall p, its_matches [p] -> length p = 2%nat /\
  forall v y, nth_error p v = Some y -> In y (places v).
Proof.
  intros p Mp. destruct (a_match_of_two [p] p Mp ltac:(simpl; auto)) as (x & y & -> & Ix & Iy & _). split; auto.
  intros [|[|v]] z Nz; simpl in Nz; [injection Nz as <-; auto..|destruct v; discriminate].
Qed.
Lemma so_many_come : forall v a b, (length (filter (within_window a b) (places v)) <= so_many v (b - a))%nat.
Proof.
  intros v a b. apply (so_many_come_within_a_window queues once a_millisecond (are_honest _ _ Sent) (are_rated _ _
    Sent)
    [v] a b).
Qed.
Definition open_from : list Z := [3; 2].
Lemma ten_at_most : forall a y m, its_matches a -> its_leads y -> led_by y m 0 a ->
  Forall (fun p => m <= closes [3; 2] p) a -> (length a <= 10)%nat.
Proof.
  intros a y m Ma Ly Led Live.
  assert (Each : Forall (fun p => its_matches [p]) a).
  { destruct Ma as (u & w & Pu & Pw & Pt). apply Forall_forall. intros p I. exists u, w. split; auto. split; auto.
    eapply part_of_trans; [|exact Pt]. apply in_split in I as (a1 & a2 & ->). exists (a1 ++ a2).
    exact (Permutation_middle a1 a2 p). }
  assert (Nd : NoDup a).
  { destruct Ma as (u & w & Pu & Pw & Pt). eapply part_of_nodup; [exact Pt|].
    apply (no_match_occurs_twice [0] [1] any 1 u w); [apply (only_once 3 0 u P3 Pu)|apply (only_once 4 1 w P4 Pw)|].
    apply Forall_forall. intros p I. apply (part_of_incl _ _ _ Pu) in I.
    destruct (a_single_event 3 0 p P3 I) as (e & -> & _). auto. }
  assert (Live' : Forall (fun p => m - 0 <= closes [3; 2] p) a).
  { eapply Forall_impl; [|exact Live]. simpl. intros. lia. }
  assert (Apart : apart (fun p => its_matches [p]) 0 1 0 1).
  { intros p x z Mp Nx Nz. destruct (a_match_of_two [p] p Mp ltac:(simpl; auto)) as (x' & z' & -> & _ & _ & H).
    injection Nx as <-. injection Nz as <-. exact H. }
  assert (Back : apart (fun p => its_matches [p]) 1 0 (-1) 0).
  { intros p x z Mp Nx Nz. specialize (Apart p z x Mp Nz Nx). lia. }
  assert (Single : forall p r, its_matches [r] -> exists x z, r = [x; z] /\
    (on_its_left p r -> p = [x]) /\ (on_its_right 1 p r -> p = [z])).
  { intros p r Mr. destruct (a_match_of_two [r] r Mr ltac:(simpl; auto)) as (x & z & -> & _). exists x, z.
    repeat split; auto.
    - intros (w & Lw & Eq). destruct p as [|p0 [|p1 p]], w as [|w0 [|w1 w]]; try discriminate; inversion Eq; subst;
      auto; destruct p; discriminate.
    - intros (w & Lw & Lp & Eq). destruct w as [|w0 [|w1 w]], p as [|p0 [|p1 p]]; try discriminate; inversion Eq;
      subst; auto; destruct w; discriminate. }
  assert (Count : forall far u v least greatest, (u < 2)%nat -> (v < 2)%nat -> (u <> v) ->
    apart (fun p => its_matches [p]) u v least greatest ->
    reaches_to (fun p => its_matches [p]) y far (eq u) -> fixes (fun p => its_matches [p]) y (eq u) ->
    (length a <= weights so_many (standing_at so_many open_from 0 far) [(v, From u least greatest); (u, Root)] +
      allowed y 0 * weights so_many (fun _ => 1%nat) [(v, From u least greatest); (u, Root)])%nat).
  { intros far u v least greatest Lu Lv Ne Ap Rc Fx.
    assert (T : is_a_tree (fun p => its_matches [p]) 2 (eq u) [(v, From u least greatest); (u, Root)]).
    { constructor.
      - simpl. auto.
      - intros w Lw. simpl. lia.
      - constructor; [simpl; auto|]. constructor; [simpl; auto|constructor]. }
    apply (a_crowd_of_partial_matches_is_no_more_than_is_counted places so_many so_many_come
      (fun p => its_matches [p]) 2 a_match_is_of_places y m 0 [3; 2] far (eq u) (eq u)); auto. }
  destruct Ly as [(z & <- & ->)|(z & <- & ->)].
  - specialize (Count (fun _ => 0) 0%nat 1%nat 0 1 ltac:(lia) ltac:(lia) ltac:(lia) Apart). apply Count.
    + intros m' r v e Mr (p & Mk & (e0 & -> & q & _ & _ & T)) <- Ne.
      destruct (Single [e0] r Mr) as (x & z & -> & L & _). specialize (L Mk). injection L as <-.
      injection Ne as <-. lia.
    + intros p0 r r' v e e' Mr Mr' (p & Mk & <-) (p' & Mk' & <-) <- Ne Ne'.
      destruct (Single p0 r Mr) as (x & z & -> & L & _). specialize (L Mk).
      destruct (Single p0 r' Mr') as (x' & z' & -> & L' & _). specialize (L' Mk').
      injection Ne as <-. injection Ne' as <-. congruence.
  - specialize (Count (fun _ => 0) 1%nat 0%nat (-1) 0 ltac:(lia) ltac:(lia) ltac:(lia) Back).
    assert (length a <= 8)%nat; [apply Count|lia].
    + intros m' r v e Mr (p & Mk & (e0 & -> & q & _ & _ & T)) <- Ne.
      destruct (Single [e0] r Mr) as (x & z & -> & _ & L). specialize (L Mk). injection L as <-.
      injection Ne as <-. lia.
    + intros p0 r r' v e e' Mr Mr' (p & Mk & <-) (p' & Mk' & <-) <- Ne Ne'.
      destruct (Single p0 r Mr) as (x & z & -> & _ & L). specialize (L Mk).
      destruct (Single p0 r' Mr') as (x' & z' & -> & _ & L'). specialize (L' Mk').
      injection Ne as <-. injection Ne' as <-. congruence.
Qed.

(* PARTE/PROC, PARTE/PROP, PARTE/PROD (specification: size-viable): 3 and 2 at the join that emits, 11 and 2 at the
  join of
   what is emitted, as the checker counts, whatever the sources send. *)
Theorem sizes_of_three_two_eleven_and_two_never_block_the_strata : forall c,
  reaches the_strata sizes_of_the_strata (start the_strata queues) c -> final the_strata sizes_of_the_strata c ->
    rested c.
Proof.
  destruct Sent as [Honest Own Punctual Rated Once Ends].
  assert (Turns : forall i, turns (sizes_of_the_strata i) = true).
  { intros i. do 12 (destruct i as [|i]; [reflexivity|]). reflexivity. }
  assert (Slots : forall i, inbox_room (sizes_of_the_strata i) = Some 1%nat /\
    outbox_room (sizes_of_the_strata i) = None).
  { intros i. do 12 (destruct i as [|i]; [split; reflexivity|]). split; reflexivity. }
  assert (One : forall q, NoDup (from_all queues [q])).
  { intros q. unfold from_all. simpl. rewrite app_nil_r. auto. }
  intros c R F.
  apply (rules_with_negations_and_sets_with_room_for_every_crowd_never_block the_strata queues 2
    the_strata_are_sound Honest Own (fun _ => 0) Punctual sizes_of_the_strata Turns c); auto.
  - intros i. destruct (Slots i) as [-> _]. reflexivity.
  - intros i v k t rest _ _. destruct (Slots i) as [_ ->]. reflexivity.
  - intros i v V. destruct i as [|[|[|[|[|[|[|[|[|[|[|[|[|i]]]]]]]]]]]]]; simpl in V; [..|destruct i; discriminate];
      inversion V; subst; try exact I.
    + apply (a_node_of_two_patterns_has_room_for_what_is_counted the_strata queues 2 the_strata_are_sound Honest
        (fun _ => 0) sizes_of_the_strata once a_millisecond Rated 6 (TwoInput false [0] [1] any) 0 1 3 4 [0%nat]
          [1%nat]);
        auto using P3, P4; [left; eauto|intros n L; apply Nat.leb_le; exact L..].
    + assert (Fl : flows the_strata queues (fun _ => 0) sizes_of_the_strata 6 [1; 0] its_matches its_leads).
      { apply (Of_a_join the_strata queues (fun _ => 0) sizes_of_the_strata 6 [0] [1] any 3 4 [0] 0 _ _ _ _ eq_refl
          (Of_a_pattern _ _ _ _ 3 [0%nat] P3) (Of_a_pattern _ _ _ _ 4 [1%nat] P4)). }
      unfold has_room. cbn [kind_of]. exists 10%nat, 5%nat. do 6 eexists. split; [reflexivity|]. split; [|split;
        [|split]].
      * apply (Of_an_emission the_strata queues (fun _ => 0) sizes_of_the_strata 10 9 8 any D generate at_the_second 0
        6
          [1; 0] 0 its_matches its_leads); auto; [lia|]. intros m. unfold at_the_second, behind. simpl. lia.
      * apply Of_a_pattern. exact P5.
      * intros m ps C0. destruct (a_crowd_of_emitted_events_is_a_crowd_of_matches its_matches its_leads generate [1;
        0] 2 m
          (fun p => opens [0] p <= closes [2] p /\ m - 0 <= closes [2] p) ps (a_part_may_come the_strata queues _
            sizes_of_the_strata _ _ _ _ Fl) Different) with (4 := C0)
          as (a & y & <- & Ma & Ly & Led & Live).
        -- intros p e v z Mp G Nz. destruct (Emits p e G) as (x & w & -> & _ & T).
           destruct (a_match_of_two [[x; w]] [x; w] Mp ltac:(simpl; auto)) as (x' & w' & Eq & _ & _ & H).
           inversion Eq; subst x' w'. destruct v as [|[|v]]; [injection Nz as <-..|destruct v; discriminate].
           ++ change (time e - time x <= 1). lia.
           ++ change (time e - time w <= 0). lia.
        -- intros p Mp. destruct (a_match_of_two [p] p Mp ltac:(simpl; auto)) as (x & w & -> & _). split; auto.
          discriminate.
        -- intros r W [_ L]. destruct r as [|e [|? ?]]; try discriminate. change (m - 0 <= time e + 2) in L.
           change (m - 2 <= time e). lia.
        -- apply Nat.leb_le. pose proof (ten_at_most a y m Ma Ly Led Live). lia.
      * intros m ps C0. apply Nat.leb_le. apply (a_crowd_on_the_right_is_no_more_than_is_counted the_strata queues 2
          the_strata_are_sound Honest (fun _ => 0) once a_millisecond Rated 5 [2%nat]) in C0; auto using P5.
        change (length ps <= 1)%nat in C0. lia.
Qed.
End The_strata.

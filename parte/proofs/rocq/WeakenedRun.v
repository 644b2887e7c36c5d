(* Runs of the example of LanguageRun.v, computed: what is emitted, a machine that says as little as it may, and what
   has been reported before the sources have ended. So the theorems about these are about something. *)
From Parte Require Export LanguageRun Promptness Steady.

(* ---- A schedule, with all that has been sent --------------------------------------------------------------------- *)

Section Steps.
Context {E : Events}.
Fixpoint first_recorded (net : network) (c : config) (s : nat -> list token) (actions : list action) :
  option (config * (nat -> list token)) :=
  match actions with
  | [] => None
  | a :: more => match takes net (fun _ => unlimited) c a with
                 | Some c' => Some (c', sent_with c a s) | None => first_recorded net c s more end
  end.
Fixpoint recorded_steps (net : network) (actions : list action) (n : nat) (c : config) (s : nat -> list token) :
  config * (nat -> list token) :=
  match n with
  | O => (c, s)
  | S k => match first_recorded net c s actions with Some (c', s') => recorded_steps net actions k c' s' | None => (c,
    s)
           end
  end.
Lemma recorded_steps_run : forall net actions n c0 c s, runs net (fun _ => unlimited) c0 c s ->
  let cs := recorded_steps net actions n c s in runs net (fun _ => unlimited) c0 (fst cs) (snd cs).
Proof.
  intros net actions. induction n as [|n IH]; simpl; intros c0 c s R; auto.
  destruct (first_recorded net c s actions) as [[c' s']|] eqn:F; auto. apply IH.
  revert F. clear IH. induction actions as [|a more IHa]; simpl; intros F; [discriminate|].
  destruct (takes net (fun _ => unlimited) c a) as [c''|] eqn:T; auto. inversion F; subst. econstructor; eauto.
Qed.

(* ---- A machine that says as little as it may --------------------------------------------------------------------- *)

Definition below_all (a b : list Z) : bool :=
  Nat.eqb (length a) (length b) && forallb (fun xy => fst xy <=? snd xy) (combine a b).
Fixpoint at_most (b : list Z) (o : list token) : bool :=
  match o with [] => true | t :: later => below_all (bounds t) (lowered b (payloads later)) && at_most b later end.
Lemma below_all_below : forall a b, below_all a b = true -> below a b.
Proof.
  unfold below_all. induction a as [|x a IH]; intros [|y b] H; simpl in H; try discriminate; constructor.
  - apply andb_true_iff in H as [_ H]. apply andb_true_iff in H as [H _]. apply Z.leb_le. auto.
  - apply IH. apply andb_true_iff in H as [L H]. apply andb_true_iff in H as [_ H]. rewrite L. auto.
Qed.
Lemma at_most_promises : forall b o, at_most b o = true -> promises_at_most b o.
Proof.
  induction o as [|t o IH]; simpl; intros H; auto. apply andb_true_iff in H as [A B].
  split; auto. apply below_all_below. auto.
Qed.

(* The last result first, each with the least bound, and nothing if there is no result. *)
Definition reluctant (o : list token) : list token :=
  match last_bounds o with
  | Some b => let o' := map (fun p => Token (map (fun _ => - infinity) b) (Some p)) (rev (payloads o)) in
              if at_most b o' then o' else o
  | None => []
  end.
Lemma reluctant_may_be_sent : forall k d slot t, may_send (snd (activate k d slot t)) (reluctant (snd (activate k d slot
  t))).
Proof.
  intros k d slot t. pose proof (what_is_computed_may_be_sent k d slot t) as M. unfold reluctant.
  destruct (last_bounds (snd (activate k d slot t))) as [b|] eqn:L.
  - destruct (at_most b _) eqn:A; auto. split.
    + replace (payloads (map _ _)) with (rev (payloads (snd (activate k d slot t)))); [apply Permutation_rev|].
      generalize (rev (payloads (snd (activate k d slot t)))). intros l. unfold payloads. induction l; simpl; auto.
      f_equal. auto.
    + rewrite L. apply at_most_promises. auto.
  - destruct M as [_ M]. rewrite L in M. split; [rewrite M; auto|rewrite L; auto].
Qed.

Definition loosely (net : network) (x : loose) (a : action) : option loose :=
  match a with
  | Process i slot =>
      match nth_error net i, inbox (plain x) i slot with
      | Some v, t :: rest =>
          if waits v unlimited (state (plain x) i) slot t then None else
          let '(d, o) := activate (kind_of v) (state (plain x) i) slot t in
          Some (Loose (Config (queue (plain x)) (without_first (plain x) i slot rest)
            (updated (outbox (plain x)) i (outbox (plain x) i ++ reluctant o)) (updated (state (plain x)) i d))
            (Weakened.sent x)
            (updated (known x) i (match last_bounds o with Some b => Some b | None => known x i end)))
      | _, _ => None
      end
  | _ => option_map (fun c => Loose c (sent_with (plain x) a (Weakened.sent x)) (known x))
           (takes net (fun _ => unlimited) (plain x) a)
  end.
(* What it knows a node sends when there is nothing else to do. *)
Definition owes (x : loose) (i : nat) : option (list Z) :=
  match known x i with
  | Some b => match last_said x i with
              | Some b' => if list_eq_dec Z.eq_dec b b' then None else Some b | None => Some b end
  | None => None
  end.
Definition tells (net : network) (x : loose) (i : nat) : option loose :=
  match nth_error net i, owes x i with
  | Some _, Some b => Some (Loose (Config (queue (plain x)) (inbox (plain x))
      (updated (outbox (plain x)) i (outbox (plain x) i ++ [Token b None])) (state (plain x))) (Weakened.sent x) (known
        x))
  | _, _ => None
  end.
Lemma loosely_steps : forall net x a y, loosely net x a = Some y -> steps net (fun _ => unlimited) x y.
Proof.
  intros net x a y H. destruct a as [q|i slot|i]; simpl in H.
  - destruct (queue (plain x) q) as [|t rest] eqn:Q; [discriminate|].
    destruct (room_at_all net (fun _ => unlimited) (plain x) (External q)) eqn:R; inversion H. subst.
    apply (Arrives net _ x q t rest Q R).
  - destruct (nth_error net i) as [v|] eqn:V; [|discriminate]. destruct (inbox (plain x) i slot) as [|t rest] eqn:I;
      [discriminate|]. destruct (waits v unlimited (state (plain x) i) slot t) eqn:W; [discriminate|].
    pose proof (reluctant_may_be_sent (kind_of v) (state (plain x) i) slot t) as M.
    destruct (activate (kind_of v) (state (plain x) i) slot t) as [d o] eqn:A. inversion H. subst.
    exact (Processes net _ x i v slot t rest d o _ V I W A M eq_refl).
  - destruct (outbox (plain x) i) as [|t rest] eqn:O; [discriminate|].
    destruct (room_at_all net (fun _ => unlimited) (plain x) (Internal i)) eqn:R; inversion H. subst.
    apply (Propagates net _ x i t rest O R).
Qed.
Lemma tells_steps : forall net x i y, tells net x i = Some y -> steps net (fun _ => unlimited) x y.
Proof.
  unfold tells, owes. intros net x i y H. destruct (nth_error net i) as [v|] eqn:V; [|discriminate].
  destruct (known x i) as [b|] eqn:K; [|discriminate].
  destruct (match last_said x i with Some _ => _ | None => _ end) as [b'|] eqn:Q; [|discriminate]. inversion H. subst.
  assert (b' = b) as -> by (destruct (last_said x i); [destruct (list_eq_dec _ _ _)|]; congruence).
  exact (Repeats net (fun _ => unlimited) x i v b b V K (below_refl b) eq_refl).
Qed.
Fixpoint first_of {A} (f : A -> option loose) (l : list A) : option loose :=
  match l with [] => None | a :: more => match f a with Some y => Some y | None => first_of f more end end.
Fixpoint lazily (net : network) (actions : list action) (n : nat) (x : loose) : loose :=
  match n with
  | O => x
  | S k => match first_of (loosely net x) actions with
           | Some y => lazily net actions k y
           | None => match first_of (tells net x) (seq 0 (length net)) with Some y => lazily net actions k y | None =>
             x end
           end
  end.
Lemma a_lazy_schedule_takes_steps : forall net actions n x0 x, leads_to net (fun _ => unlimited) x0 x ->
  leads_to net (fun _ => unlimited) x0 (lazily net actions n x).
Proof.
  intros net actions. induction n as [|n IH]; simpl; intros x0 x R; auto.
  assert (F : forall A (f : A -> option loose), (forall a y, f a = Some y -> steps net (fun _ => unlimited) x y) ->
    forall l y, first_of f l = Some y -> steps net (fun _ => unlimited) x y).
  { intros A f H. induction l as [|a l IHl]; simpl; intros y Q; [discriminate|]. destruct (f a) eqn:Fa; eauto.
    inversion Q; subst. eauto. }
  destruct (first_of (loosely net x) actions) as [y|] eqn:Q.
  - apply IH. eapply Further; [exact R|]. eapply F; [|exact Q]. intros a z. apply loosely_steps.
  - destruct (first_of (tells net x) (seq 0 (length net))) as [y|] eqn:Q'; auto.
    apply IH. eapply Further; [exact R|]. eapply F; [|exact Q']. intros i z. apply tells_steps.
Qed.
(* Nothing is left in the boxes of the nodes and in these queues, and no node owes anything. *)
Definition looks_at_rest (net : network) (queues : list nat) (x : loose) : bool :=
  forallb (fun q => match queue (plain x) q with [] => true | _ => false end) queues &&
  forallb (fun i => match outbox (plain x) i, inbox (plain x) i 0%nat, inbox (plain x) i 1%nat, owes x i with
                    | [], [], [], None => true | _, _, _, _ => false end) (seq 0 (length net)).
Definition all_sent (net : network) (s : nat -> list token) : nat :=
  fold_right Nat.add 0%nat (map (fun i => length (s i)) (seq 0 (length net))).
End Steps.

(* ---- The example ------------------------------------------------------------------------------------------------- *)

Notation its_net := (graph full_built).
Notation its_actions := (all_actions (graph full_built) [0; 2; 4]%nat).
Definition numbered (m : list occurrence * list (list occurrence)) := (map id (fst m), map (map id) (snd m)).
Definition at_the_end := recorded_steps its_net its_actions 400 (start its_net (heard_queues full_queues)) (fun _ =>
  []).
Definition full_productions := productions_of_rules precedes precedes_orders full_sources full_example.

(* So it is for the example (specification: sound-agrees, production-bound): every run that rests. *)
Theorem the_theorem_of_emissions_is_about_something : forall c s,
  runs its_net (fun _ => unlimited) (start its_net (heard_queues full_queues)) c s ->
  final its_net (fun _ => unlimited) c ->
  Forall2 (fun jss es => Permutation (emitted_by_rule_at precedes precedes_orders s jss) es) full_productions
    (emitted_meaning_of_program precedes full_example full_stream).
Proof.
  intros c s R F. apply every_run_that_rests_has_emitted_what_every_rule_emits with (reach := 2 * far)
    (queues := full_queues) (c := c); auto.
  - apply full_example_checked.
  - apply full_example_related.
  - apply full_example_differs.
  - reflexivity.
  - apply full_example_family.
Qed.

(* And it computes (specification: sound-agrees, production-bound): two events, with their timestamps. *)
Theorem the_example_emits : let shown (e : occurrence) := (id e, stamp e) in
  runs its_net (fun _ => unlimited) (start its_net (heard_queues full_queues)) (fst at_the_end) (snd at_the_end)
  /\ map (fun jss => map shown (emitted_by_rule_at precedes precedes_orders (snd at_the_end) jss)) full_productions
    = [[(112, 0); (142, 1)]; []]
  /\ map (map shown) (emitted_meaning_of_program precedes full_example full_stream) = [[(112, 0); (142, 1)]; []].
Proof.
  split; [apply recorded_steps_run; constructor|]. split; vm_compute; reflexivity.
Qed.

Definition reluctantly := lazily its_net its_actions 1000 (loose_start its_net (heard_queues full_queues)).
(* A run of a machine that says as little as it may (specification: unbounded-runs): it sends fewer tokens, and reports
   the same. *)
Theorem a_reluctant_machine_reports_the_same :
  leads_to its_net (fun _ => unlimited) (loose_start its_net (heard_queues full_queues)) reluctantly
  /\ looks_at_rest its_net [0; 2; 4]%nat reluctantly = true
  /\ map (fun is => map numbered (reported_by precedes precedes_orders (plain reluctantly) is))
       (together (counts full_example) (ends full_built)) = [[([1], [[2]]); ([4], [[2]])]; [([112], []); ([142], [])]]
  /\ (all_sent its_net (Weakened.sent reluctantly), all_sent its_net (snd at_the_end)) = (39, 88)%nat.
Proof.
  split; [apply a_lazy_schedule_takes_steps; constructor|]. split; [|split]; vm_compute; reflexivity.
Qed.

(* ---- Before the sources have ended ------------------------------------------------------------------------------- *)

Definition queues_so_far (q : nat) : list (@token with_sets) :=
  match q with
  | 0%nat => [SetsRun.sent 0 full_a1]
  | 1%nat => [SetsRun.sent 1 full_b2; @Token with_sets [6] None]
  | 2%nat => [SetsRun.sent 0 full_c5; SetsRun.sent 1 full_c4]
  | _ => []
  end.
Definition stream_so_far := [full_a1; full_b2; full_c5; full_c4].
Lemma example_so_far_sends : @sends with_sets full_sources queues_so_far
  (map (@fresh integers precedes precedes_orders) stream_so_far).
Proof.
  assert (Le : forall x y, (x <=? y) = true -> x <= y) by (intros; apply Z.leb_le; auto).
  split; [|split].
  - intros [|[|[|q]]]; simpl; repeat split; auto; repeat constructor; apply Le; reflexivity.
  - intros [|[|[|t]]] q I; simpl in I; try contradiction; destruct I as [<-|[]]; repeat constructor.
  - intros [|[|[|[|t]]]]; simpl; auto.
Qed.

(* So it is for the example (specification: prompt-reports): whatever its schedule, and whatever is left out. *)
Theorem the_theorem_of_moments_is_about_something : forall x,
  leads_to its_net (fun _ => unlimited) (loose_start its_net (heard_queues queues_so_far)) x -> is_at_rest its_net x ->
  Forall2 (fun is r => exists waiting,
    Permutation (reported_by precedes precedes_orders (plain x) is ++ waiting)
      (matches_of_rule precedes (all_events_there precedes precedes_orders full_sources full_example stream_so_far x)
        r) /\
    Forall (fun m => exists c, In c (cases r) /\
      open_in precedes precedes_orders full_sources full_example queues_so_far x c m = true) waiting)
    (terminals precedes precedes_orders full_sources full_example) (full_rules full_example).
Proof.
  intros x R Rest. eapply Forall2_weaker; [|exact (every_match_that_is_decided_has_been_reported_at_rest precedes
    precedes_orders full_sources (2 * far) full_example full_example_checked full_example_related full_example_differs
    queues_so_far stream_so_far example_so_far_sends (fun _ => unlimited) x R Rest)].
  cbv beta. intros is r [H _]. exact H.
Qed.

Definition midway := recorded_steps its_net its_actions 400 (start its_net (heard_queues queues_so_far)) (fun _ => []).
Definition midway_state : @loose with_sets := Loose (fst midway) (snd midway) (fun _ => None).
Definition open_midway (m : list occurrence * list (list occurrence)) : list bool :=
  map (fun a => open_in precedes precedes_orders full_sources full_example queues_so_far midway_state a m)
    (cases either_a_or_c).
Definition matches_midway := map (fun r => map numbered (matches_of_rule precedes (all_events_there precedes
  precedes_orders
  full_sources full_example stream_so_far midway_state) r)) (full_rules full_example).
(* And it computes (specification: prompt-reports): at rest, while each source may go on, the match of the A has been
   reported, whose set has a window until 5, for its B promised 6; that of the C waits for what is later than 6. *)
Theorem the_example_before_its_end :
  map (fun is => map numbered (reported_by precedes precedes_orders (fst midway) is))
    (together (counts full_example) (ends full_built)) = [[([1], [[2]])]; [([112], [])]]
  /\ matches_midway = [[([1], [[2]]); ([4], [[2]])]; [([112], [])]]
  /\ (open_midway ([full_a1], [[full_b2]]), open_midway ([full_c4], [[full_b2]])) = ([false; false], [true; true]).
Proof. split; [|split]; vm_compute; reflexivity. Qed.

(* No source of the example lowers a bound, nor does its emission (specification: prompt-reports,
   bounds-never-decrease);
   so at rest exactly the decided matches have been reported, of each case of each rule. *)
Theorem the_theorem_on_decided_matches_is_about_something : forall x,
  leads_to its_net (fun _ => unlimited) (loose_start its_net (heard_queues queues_so_far)) x -> is_at_rest its_net x ->
  let program_ := closed_program on_machine in
  let sources_ := heard full_sources program_ in
  Forall2 (fun i r => Permutation (reported (state (plain x) i))
    (filter (decided_now sources_ program_ (heard_queues queues_so_far) x r)
      (evaluate (events_there sources_ program_ (map (@fresh integers precedes precedes_orders) stream_so_far) x)
        (pattern_of r)))) (ends full_built) (rules_of program_).
Proof.
  intros x R Rest. cbv zeta.
  destruct (heard_sends full_sources (closed_program on_machine) queues_so_far _ example_so_far_sends) as (Ho & Te &
    St).
  assert (Le : forall x y, (x <=? y) = true -> x <= y) by (intros; apply Z.leb_le; auto).
  apply where_no_bound_falls_exactly_the_decided_matches_are_reported with (reach := 2 * far) (limit := fun _ =>
    unlimited);
    auto; try exact (@heard_checked with_sets full_sources (closed_program on_machine) (2 * far) full_example_checked);
    try (apply Le; reflexivity).
  - repeat constructor; intros b F; destruct F; simpl; auto; apply Le; reflexivity.
  - intros q. unfold heard_queues. destruct (Nat.even q).
    + destruct (Nat.div2 q) as [|[|[|n]]]; unfold rising; simpl; auto; split; repeat constructor; apply Le; reflexivity.
    + unfold rising. simpl. split; repeat constructor; apply Le; reflexivity.
Qed.

(* a: A, no b: B when b in a [0 ms, 5 ms], where B promises 10, and then 5. *)
Definition without_b : program := [Stratum [0; 1]%nat [close (without_sets 0 (fun _ => true)
  [WrittenLink true 1 (fun _ => true) (fun _ => true) [(0%nat, (0, 5))]] [] [])]].
Definition falling (q : nat) : list token :=
  match q with 0%nat => [Token [2] (Some [Occurrence 1 0 2])] | 1%nat => [Token [10] None; Token [5] None] | _ => []
    end.
Definition fallen_net := graph (compile example_sources without_b).
Definition fallen := recorded_steps fallen_net (all_actions fallen_net [0; 1]%nat) 200 (start fallen_net falling) (fun
  _ =>
  []).
(* Why bounds may not fall (specification: prompt-reports, bounds-never-decrease): what was decided by a bound that has
   fallen since has been reported, and is open by the bounds of now. *)
Theorem a_match_that_a_fallen_bound_has_decided_is_open_again :
  map (fun i => map (map id) (reported (state (fst fallen) i))) (ends (compile example_sources without_b)) = [[[1]]]
  /\ map (fun r => open_now example_sources without_b falling (Loose (fst fallen) (snd fallen) (fun _ => None)) r
    [Occurrence 1 0 2]) (rules_of without_b) = [true].
Proof. split; vm_compute; reflexivity. Qed.

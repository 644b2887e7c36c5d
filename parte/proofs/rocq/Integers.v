(* Events as they run: an id, a template, a timestamp in milliseconds of 64 bits; and a program of two strata for which
   all that the theorems ask is shown, so that they are about something. *)
From Parte Require Export Written Timestamps.

Record occurrence := Occurrence { id : Z; its_type : nat; stamp : Z }.
Definition far : Z := 2 ^ 63.
Definition clamped (t : Z) : Z := Z.max (- far) (Z.min far t).
Lemma clamped_within : forall t, - far <= clamped t <= far.
Proof. intros. unfold clamped. assert (0 < far) by reflexivity. lia. Qed.
Lemma infinity_is_beyond : far < 2 ^ 100.
Proof. reflexivity. Qed.

(* The infinity is that of parte/semantics/events/event.py. A stamp within 64 bits is the time. Here no rule has sets;
   events that carry sets are made of these in Sets.v. *)
Definition integers : Events.
Proof.
  refine {| event := occurrence; template := its_type; time := fun e => clamped (stamp e); horizon := far;
     infinity := 2 ^ 100; with_set := fun e _ => e;
     within_horizon := fun e => clamped_within (stamp e); infinity_beyond := infinity_is_beyond |}; auto.
Defined.
#[export] Existing Instance integers.

(* An emission that stamps what it emits by `at`; beyond 64 bits it has no value (specification: no-value-emissions). *)
Definition emitting (n : nat) (s : timestamp) (named : partial -> Z) : emission :=
  emission_at n s (fun v => let t := instant s (times v) in
    if (- far <=? t) && (t <=? far) then Some (Occurrence (named v) n t : event) else None).
Lemma emitting_checked : forall w n s named, scoped w s -> emission_checked w (emitting n s named).
Proof.
  intros. apply such_an_emission_passes_the_checks; auto. intros v e H1. cbv beta zeta in H1.
  set (t := instant s (times v)) in *. destruct ((- far <=? t) && (t <=? far)) eqn:B; [|discriminate H1].
  inversion H1; subst. split; auto. intros _. apply andb_true_iff in B. rewrite !Z.leb_le in B.
  change (clamped t = t). unfold clamped. lia.
Qed.

(* Steps in a fixed order, the first that is possible, so often; a schedule among many. *)
Section Steps.
Context {E : Events}.
Fixpoint first_possible (net : network) (limit : nat -> limits) (c : config) (actions : list action) : option config :=
  match actions with
  | [] => None
  | a :: more => match takes net limit c a with Some c' => Some c' | None => first_possible net limit c more end
  end.
Fixpoint after_steps (net : network) (limit : nat -> limits) (actions : list action) (n : nat) (c : config) : config :=
  match n with
  | O => c
  | S k => match first_possible net limit c actions with Some c' => after_steps net limit actions k c' | None => c end
  end.
Definition all_actions (net : network) (sources : list nat) : list action :=
  flat_map (fun i => Propagate i :: map (fun k => Process i k) [0%nat; 1%nat]) (seq 0 (length net)) ++ map Arrive
    sources.

Lemma a_schedule_takes_steps : forall net limit actions n c d, reaches net limit c d -> reaches net limit c
  (after_steps net limit actions n d).
Proof.
  intros net limit actions n. induction n as [|n IH]; simpl; intros c d R; auto.
  destruct (first_possible net limit d actions) as [d'|] eqn:F; auto. apply IH.
  revert F. clear IH. induction actions as [|a more IHa]; simpl; intros F; [discriminate|].
  destruct (takes net limit d a) as [d''|] eqn:T; auto. inversion F; subst. eapply There; eauto.
Qed.

End Steps.

(* rule R where a: A, no b: A, c: A when no b in a [1 ms, 1 ms] c in a [0 ms, 0 ms] then P at a.timestamp - 3 ms
   rule S where p: P, b: B when b in p [2 ms, 5 ms] then *)
Definition example_below : written :=
  without_sets 0 (fun _ => true)
    [WrittenLink true 0 (fun _ => true) (fun _ => true) [(0%nat, (1, 1))]; WrittenLink false 0 (fun _ => true) (fun _
      => true) []]
    [Constraint 1 0 0 0] [emitting 2 (Shifted (OfVariable 0) (-3)) (fun v => fold_left (fun x e => 10 * x + id e) v 1)].
Definition example_above : written :=
  without_sets 2 (fun _ => true) [WrittenLink false 1 (fun _ => true) (fun _ => true) []] [Constraint 1 0 2 5] [].
Definition example : list written_stratum :=
  [WrittenStratum [0; 1]%nat [example_below]; WrittenStratum [2%nat] [example_above]].
Definition example_sources (t : nat) : list nat := match t with 0%nat => [0%nat] | 1%nat => [1%nat] | _ => [] end.
Definition a1 : event := Occurrence 1 0 0.
Definition a2 : event := Occurrence 2 0 0.
Definition b3 : event := Occurrence 3 1 1.
Definition the_end : token := Token [infinity] None.
Definition example_queues (q : nat) : list token :=
  match q with
  | 0%nat => [Token [0] (Some [a1]); Token [0] (Some [a2]); the_end]
  | 1%nat => [Token [1] (Some [b3]); the_end]
  | _ => []
  end.
Definition example_net : network := graph (compile example_sources (closed_program example)).

Lemma example_checked : checked example_sources 10 [] [] (closed_program example).
Proof.
  assert (R : forall l, forallb (fun m => (-10 <=? m) && (m <=? 10)) l = true -> in_reach 10 l).
  { intros l H. apply Forall_forall. intros m I. rewrite forallb_forall in H. specialize (H m I).
    apply andb_true_iff in H. rewrite !Z.leb_le in H. auto. }
  assert (Emits : emission_checked 2 (emitting 2 (Shifted (OfVariable 0) (-3)) (fun v => fold_left (fun x e => 10 * x
    + id e) v 1))).
  { apply emitting_checked. simpl. lia. }
  split; [repeat constructor; simpl; intuition discriminate|]. split.
  { apply Forall_forall. intros t [<-|[<-|[]]]; (split; [intros []|left; discriminate]). }
  split.
  { constructor; [|constructor]. split; [|split].
    - split; [|constructor]. simpl. repeat split; auto; apply R; reflexivity.
    - intros t I. simpl in *. intuition.
    - constructor; [|constructor]. split; [exact Emits|]. simpl. intuition discriminate. }
  split; [repeat constructor; simpl; intuition|]. split.
  { apply Forall_forall. intros t [<-|[]]. split; [simpl; intuition discriminate|right; simpl; auto]. }
  split; [|exact I].
  constructor; [|constructor]. split; [|split].
  - split; [|constructor]. simpl. repeat split; auto; apply R; reflexivity.
  - intros t I. simpl in *. intuition.
  - constructor.
Qed.

Lemma example_related : all_related example.
Proof.
  assert (M : forall n cs, forallb (fun i => forallb (fun j => match fst (closure n cs) i j with Some _ => true | None
    => false end) (seq 0 n)) (seq 0 n) = true ->
    forall i j, (i < n)%nat -> (j < n)%nat -> fst (closure n cs) i j <> None).
  { intros n cs H i j Li Lj. rewrite forallb_forall in H. specialize (H i). rewrite forallb_forall in H.
    specialize (H (proj2 (in_seq n 0 i) ltac:(lia)) j (proj2 (in_seq n 0 j) ltac:(lia))). destruct (fst (closure n cs)
      i j); easy. }
  assert (B : related example_below).
  { split; [|split].
    - constructor; [|constructor]. simpl. lia.
    - split; [|constructor]. simpl. split; [|split; [discriminate|exact I]]. intros _. split; [discriminate|].
      constructor; [simpl;
      lia|constructor].
    - right. apply (M 2%nat). reflexivity. }
  assert (A : related example_above).
  { split; [|split].
    - constructor; [|constructor]. simpl. lia.
    - split; [|constructor]. simpl. split; [discriminate|exact I].
    - right. apply (M 2%nat). reflexivity. }
  constructor; [constructor; [exact B|constructor]|constructor; [constructor; [exact A|constructor]|constructor]].
Qed.

Lemma example_far : horizon + 10 + lags example_net (length example_net) < infinity.
Proof. reflexivity. Qed.

Lemma example_family : family example_sources example_queues [a1; a2; b3].
Proof.
  assert (Le : forall x y, (x <=? y) = true -> x <= y) by (intros; apply Z.leb_le; auto).
  constructor.
  - intros [|[|q]]; simpl; repeat split; auto; repeat constructor; apply Le; reflexivity.
  - intros [|[|t]] q I; simpl in I; [destruct I as [<-|[]]|destruct I as [<-|[]]|contradiction];
      [exists [Token [0] (Some [a1]); Token [0] (Some [a2])], the_end|exists [Token [1] (Some [b3])], the_end];
      (split; [reflexivity|repeat constructor; apply Le; reflexivity]).
  - intros [|[|t]] q I; simpl in I; [destruct I as [<-|[]]|destruct I as [<-|[]]|contradiction]; repeat constructor.
  - intros [|[|t]]; simpl; auto.
Qed.

(* So it is for the example (specification: sound-agrees): every run that rests, whatever its schedule. *)
Theorem the_theorem_is_about_something : forall c,
  reaches example_net (fun _ => unlimited) (start example_net example_queues) c -> final example_net (fun _ =>
    unlimited) c ->
  Forall2 (fun i r => Permutation (reported (state c i)) r)
    (ends (compile example_sources (closed_program example))) (meaning example [a1; a2; b3]).
Proof.
  intros. apply every_run_that_rests_has_reported_exactly_the_meaning with (reach := 10) (queues := example_queues);
    auto.
  - apply example_checked.
  - apply example_related.
  - apply example_far.
  - apply example_family.
Qed.

(* And it computes (specification: sound-agrees): four matches below, their four events above, each with the one B in
   its window. *)
Theorem the_example_runs : let c := after_steps example_net (fun _ => unlimited) (all_actions example_net [0; 1]%nat)
  200 (start example_net example_queues) in
  map (fun i => map (map id) (reported (state c i))) (ends (compile example_sources (closed_program example)))
  = [[[1; 1]; [1; 2]; [2; 1]; [2; 2]]; [[111; 3]; [112; 3]; [121; 3]; [122; 3]]]
  /\ map (map (map id)) (meaning example [a1; a2; b3]) = [[[1; 1]; [1; 2]; [2; 1]; [2; 2]]; [[111; 3]; [112; 3]; [121;
    3]; [122; 3]]].
Proof. split; vm_compute; reflexivity. Qed.

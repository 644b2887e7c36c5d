(* A program of two strata with alternatives, an absence without a beginning and a set, for which all that the theorems
   of Language.v ask is shown, so that they are about something. *)
From Parte Require Export Language SetsRun.

(* rule R where either x: A or x: C { x.id != 5 }, no b: B, all c: B when b in x [-ever, -1 ms] c in x [0 ms, 5 ms]
     then emit P at x.timestamp
   rule S where p: P then *)
Definition any_event : occurrence -> bool := fun _ => true.
Definition any_b : @alternative integers := @Alternative integers 1 any_event (fun _ => true).
Definition either_a_or_c : @full_rule integers :=
  @FullRule integers [(0%nat, any_event); (2%nat, fun e => negb (id e =? 5))] [Absent any_b [(0%nat, (None, -1))]] []
    [(any_b, [(0%nat, (Some 0, 5))])] None [emitting_with_sets 3 (OfVariable 0) counted].
Definition of_p : @full_rule integers := @FullRule integers [(3%nat, any_event)] [] [] [] None [].
Definition full_example : @full_program integers :=
  [@FullStratum integers [0; 1; 2]%nat [either_a_or_c]; @FullStratum integers [3%nat] [of_p]].
Definition on_machine := @lifted_program integers precedes precedes_orders (cases_of_program full_example).
Definition full_sources (t : nat) : list nat :=
  match t with 0%nat => [0%nat] | 1%nat => [1%nat] | 2%nat => [2%nat] | _ => [] end.
Definition full_built :=
  @compile with_sets (heard full_sources (closed_program on_machine)) (closed_program on_machine).

Definition full_a1 : occurrence := Occurrence 1 0 0.
Definition full_b2 : occurrence := Occurrence 2 1 1.
Definition full_c4 : occurrence := Occurrence 4 2 1.
Definition full_c5 : occurrence := Occurrence 5 2 0.
Definition full_a6 : occurrence := Occurrence 6 0 (2 ^ 62).
Definition full_stream := [full_a1; full_a6; full_b2; full_c5; full_c4].
Definition full_queues (q : nat) : list (@token with_sets) :=
  match q with
  | 0%nat => [sent 0 full_a1; sent 0 full_a6; set_end]
  | 1%nat => [sent 1 full_b2; set_end]
  | 2%nat => [sent 0 full_c5; sent 1 full_c4; set_end]
  | _ => []
  end.

Lemma full_example_differs : Forall (fun s => Forall alternatives_differ (f_rules s)) full_example.
Proof.
  assert (One : NoDup [3%nat]) by (constructor; [intros []|constructor]).
  repeat constructor; simpl; intuition discriminate.
Qed.

Lemma full_example_checked : @checked_but_for_sources with_sets (closed_program on_machine) (2 * far).
Proof.
  assert (R : forall l, forallb (fun m => (- (2 * far) <=? m) && (m <=? 2 * far)) l = true -> in_reach (2 * far) l).
  { intros l H. apply Forall_forall. intros m I. rewrite forallb_forall in H. specialize (H m I).
    apply andb_true_iff in H. rewrite !Z.leb_le in H. auto. }
  assert (Links : forall l, forallb (fun m => (- (2 * far) <=? m) && (m <=? 2 * far))
      (map fst (@windows with_sets l)) = true ->
    forallb (fun m => (- (2 * far) <=? m) && (m <=? 2 * far)) (map snd (@windows with_sets l)) = true ->
    length (@windows with_sets l) = 1%nat -> @link_checked with_sets (2 * far) 1 l).
  { intros l A B L. split; [auto|split; apply R; auto]. }
  assert (Case : forall first, In first (f_first either_a_or_c) -> @rule_checked with_sets (2 * far) [0; 1; 2]%nat
    (close (@lifted integers precedes precedes_orders (case_of either_a_or_c first
      [link_of true any_b [(0%nat, (None, -1))]])))).
  { intros first I. split; [|split].
    - split; [split; [|exact Logic.I]|constructor; [|constructor]]; apply Links; reflexivity.
    - intros t J. simpl in *. intuition; subst; simpl; auto.
    - constructor; [|constructor]. split; [|simpl; intuition discriminate].
      apply (emitting_with_sets_checked 1 3 (OfVariable 0) counted). simpl. lia. }
  split; [repeat constructor; simpl; intuition discriminate|]. split.
  { apply Forall_forall. intros t [<-|[<-|[<-|[]]]]; (split; [intros []|left; discriminate]). }
  split.
  { constructor; [|constructor; [|constructor]]; apply Case; simpl; auto. }
  split; [repeat constructor; simpl; intuition|]. split.
  { apply Forall_forall. intros t [<-|[]]. split; [simpl; intuition discriminate|left; discriminate]. }
  split; [|exact I].
  constructor; [|constructor]. split; [|split].
  - split; [exact I|constructor].
  - intros t I. simpl in *. intuition.
  - constructor.
Qed.

Lemma full_example_related : @all_related with_sets on_machine.
Proof.
  assert (One : forall r, positives 1 (w_links r) = 1%nat -> w_when r = [] -> against_checked 1 (w_links r) ->
    @sets_checked with_sets 1 (w_sets r) -> @related with_sets r).
  { intros r L W A S. unfold related, closure_of. rewrite L, W. simpl. split; [constructor|]. split; [auto|].
    right. intros [|i] [|j] Li Lj; try lia. discriminate. }
  constructor; [|constructor; [constructor; [|constructor]|constructor]].
  - constructor; [|constructor; [|constructor]]; (apply One; [reflexivity|reflexivity| |]).
    1, 3: split; [intros _; split; [discriminate|constructor; [simpl; lia|constructor]]|exact I].
    1, 2: constructor; [split; [discriminate|constructor; [simpl; lia|constructor]]|constructor].
  - apply One; try reflexivity; constructor.
Qed.

Lemma full_example_family : @family with_sets full_sources full_queues
  (map (@fresh integers precedes precedes_orders) full_stream).
Proof.
  assert (Le : forall x y, (x <=? y) = true -> x <= y) by (intros; apply Z.leb_le; auto).
  constructor.
  - intros [|[|[|q]]]; simpl; repeat split; auto; repeat constructor; apply Le; reflexivity.
  - intros [|[|[|t]]] q I; simpl in I; try contradiction; destruct I as [<-|[]];
      [exists [sent 0 full_a1; sent 0 full_a6], set_end|exists [sent 1 full_b2], set_end
      |exists [sent 0 full_c5; sent 1 full_c4], set_end];
      (split; [reflexivity|repeat constructor; apply Le; reflexivity]).
  - intros [|[|[|t]]] q I; simpl in I; try contradiction; destruct I as [<-|[]]; repeat constructor.
  - intros [|[|[|[|t]]]]; simpl; auto.
Qed.

(* So it is for the example (specification: sound-agrees): every run that rests, whatever its schedule. *)
Theorem the_theorem_of_the_language_is_about_something : forall c,
  reaches (graph full_built) (fun _ => unlimited) (start (graph full_built) (heard_queues full_queues)) c ->
  final (graph full_built) (fun _ => unlimited) c ->
  Forall2 (fun is r => Permutation (reported_by precedes precedes_orders c is) r)
    (together (counts full_example) (ends full_built)) (meaning_of_program precedes full_example full_stream).
Proof.
  intros. apply every_run_that_rests_has_reported_the_matches_of_every_rule with (reach := 2 * far)
    (queues_of := full_sources) (queues := full_queues); auto.
  - apply full_example_checked.
  - apply full_example_related.
  - apply full_example_differs.
  - reflexivity.
  - apply full_example_family.
Qed.

(* And it computes (specification: sound-agrees, alternative-cases, windows-ever): the first A and a C match, each with
   the B behind it; the last A does not, which has a B 2^62 ms before it. *)
Theorem the_example_of_the_language_runs :
  let numbers m := (map id (fst m), map (map id) (snd m)) in
  let net := graph full_built in
  let c := after_steps net (fun _ => unlimited) (all_actions net [0; 2; 4]%nat) 400
    (@start with_sets net (heard_queues full_queues)) in
  map (fun is => map numbers (reported_by precedes precedes_orders c is))
    (together (counts full_example) (ends full_built)) = [[([1], [[2]]); ([4], [[2]])]; [([112], []); ([142], [])]]
  /\ map (map numbers) (meaning_of_program precedes full_example full_stream)
    = [[([1], [[2]]); ([4], [[2]])]; [([112], []); ([142], [])]].
Proof. split; vm_compute; reflexivity. Qed.

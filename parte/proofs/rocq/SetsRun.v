(* Events of Integers.v that carry sets, in the order of their timestamps; and a program of two strata with a set each,
   for which all that the theorems of Sets.v ask is shown, so that they are about something. *)
From Parte Require Export Sets Integers.

Definition precedes (x y : occurrence) : bool :=
  (stamp x <? stamp y) || ((stamp x =? stamp y)
  && ((id x <? id y) || ((id x =? id y) && Nat.leb (its_type x) (its_type y)))).

Lemma precedes_spec : forall x y, precedes x y = true <->
  stamp x < stamp y \/ (stamp x = stamp y /\ (id x < id y \/ (id x = id y /\ (its_type x <= its_type y)%nat))).
Proof.
  intros. unfold precedes. rewrite !orb_true_iff, !andb_true_iff, !orb_true_iff, !andb_true_iff, !Z.ltb_lt, !Z.eqb_eq,
    Nat.leb_le. tauto.
Qed.
Lemma precedes_orders : @total_order integers precedes.
Proof.
  constructor.
  - intros x y. rewrite !precedes_spec. lia.
  - intros x y z. rewrite !precedes_spec. lia.
  - intros [i n s] [i' n' s'] A B. apply precedes_spec in A, B. simpl in *. f_equal; lia.
Qed.
Definition with_sets : Events := @carrying integers precedes precedes_orders.

(* An emission that stamps what it emits by `at`, of positive events; beyond 64 bits it has no value (specification:
   no-value-emissions). *)
Definition emitting_with_sets (n : nat) (s : timestamp) (named : list occurrence -> list (list occurrence) -> Z) :
  @emission_with_sets integers :=
  @EmissionWithSets integers n (fun v sets => let t := instant s (@times integers v) in
    if (- far <=? t) && (t <=? far) then Some (Occurrence (named v sets) n t) else None) (instant s) (lagging s).
Lemma emitting_with_sets_checked : forall w n s named, scoped w s ->
  @emission_checked with_sets w (@lifted_emission integers precedes precedes_orders (emitting_with_sets n s named)).
Proof.
  intros w n s named Sc.
  apply (@such_an_emission_passes_the_checks with_sets w n s); [exact Sc|]. intros v e H.
  cbn [emitting_with_sets s_generate] in H. cbv beta zeta in H.
  assert (T : @times with_sets v = @times integers (@bare integers precedes precedes_orders v)).
  { unfold times, bare. rewrite map_map. auto. }
  set (t := instant s (@times integers (@bare integers precedes precedes_orders v))) in *.
  destruct ((- far <=? t) && (t <=? far)) eqn:B; [|discriminate H]. inversion H; subst. split; auto. intros _.
  apply andb_true_iff in B. rewrite !Z.leb_le in B. rewrite T. fold t.
  change (clamped t = t). unfold clamped. lia.
Qed.

(* rule R where a: A, all b: B when b in a [1 ms, 3 ms] having count(b) >= 2 then emit P at a.timestamp
   rule S where p: P, all b: B { b.id != 4 } when b in p [0 ms, 5 ms] then *)
Definition counted (v : list occurrence) (sets : list (list occurrence)) : Z :=
  fold_left (fun x e => 10 * x + id e) (v ++ concat sets) 1.
Definition all_b (own : occurrence -> bool) (least greatest : Z) : @written_link integers :=
  @WrittenLink integers true 1 own (fun _ => true) [(0%nat, (least, greatest))].
Definition rule_r : @rule_with_sets integers :=
  @RuleWithSets integers 0 (fun _ => true) [] [] [all_b (fun _ => true) 1 3]
    (Some (fun _ sets => Some (Nat.leb 2 (length (concat sets)))))
    [emitting_with_sets 2 (OfVariable 0) counted].
Definition rule_s : @rule_with_sets integers :=
  @RuleWithSets integers 2 (fun _ => true) [] [] [all_b (fun e => negb (id e =? 4)) 0 5] None [].
Definition set_example : @program_with_sets integers :=
  [@StratumWithSets integers [0; 1]%nat [rule_r]; @StratumWithSets integers [2%nat] [rule_s]].
Definition set_program := closed_program (@lifted_program integers precedes precedes_orders set_example).

Definition set_a1 : occurrence := Occurrence 1 0 0.
Definition set_a2 : occurrence := Occurrence 2 0 2.
Definition set_b3 : occurrence := Occurrence 3 1 3.
Definition set_b4 : occurrence := Occurrence 4 1 1.
Definition sent (bound : Z) (e : occurrence) : @token with_sets :=
  @Token with_sets [bound] (Some [@fresh integers precedes precedes_orders e]).
Definition set_end : @token with_sets := @Token with_sets [infinity] None.
Definition set_queues (q : nat) : list (@token with_sets) :=
  match q with
  | 0%nat => [sent 0 set_a1; sent 2 set_a2; set_end]
  | 1%nat => [sent 1 set_b3; sent 1 set_b4; set_end]
  | _ => []
  end.
Definition set_built := @compile with_sets (heard example_sources set_program) set_program.

Lemma set_example_checked : @checked_but_for_sources with_sets set_program 10.
Proof.
  assert (R : forall l, forallb (fun m => (-10 <=? m) && (m <=? 10)) l = true -> in_reach 10 l).
  { intros l H. apply Forall_forall. intros m I. rewrite forallb_forall in H. specialize (H m I).
    apply andb_true_iff in H. rewrite !Z.leb_le in H. auto. }
  assert (Sets : forall l, forallb (fun m => (-10 <=? m) && (m <=? 10)) (map fst (@windows with_sets l)) = true ->
    forallb (fun m => (-10 <=? m) && (m <=? 10)) (map snd (@windows with_sets l)) = true ->
    length (@windows with_sets l) = 1%nat -> @link_checked with_sets 10 1 l).
  { intros l A B L. split; [auto|split; apply R; auto]. }
  split; [repeat constructor; simpl; intuition discriminate|]. split.
  { apply Forall_forall. intros t [<-|[<-|[]]]; (split; [intros []|left; discriminate]). }
  split.
  { constructor; [|constructor]. split; [|split].
    - split; [exact I|]. constructor; [|constructor]. apply Sets; reflexivity.
    - intros t I. simpl in *. intuition.
    - constructor; [|constructor]. split; [|simpl; intuition discriminate].
      apply (emitting_with_sets_checked 1 2 (OfVariable 0) counted). simpl. lia. }
  split; [repeat constructor; simpl; intuition|]. split.
  { apply Forall_forall. intros t [<-|[]]. split; [simpl; intuition discriminate|left; discriminate]. }
  split; [|exact I].
  constructor; [|constructor]. split; [|split].
  - split; [exact I|]. constructor; [|constructor]. apply Sets; reflexivity.
  - intros t I. simpl in *. intuition.
  - constructor.
Qed.

Lemma set_example_related : @all_related with_sets (@lifted_program integers precedes precedes_orders set_example).
Proof.
  assert (One : forall r, w_links r = [] -> w_when r = [] -> @sets_checked with_sets 1 (w_sets r) ->
    @related with_sets r).
  { intros r L W S. unfold related, closure_of. rewrite L, W. simpl. split; [constructor|]. split; [auto|].
    right. intros [|i] [|j] Li Lj; try lia. discriminate. }
  assert (Against : forall own l g, @sets_checked with_sets 1 [@lifted_link integers precedes precedes_orders (all_b
    own l g)]).
  { intros. constructor; [|constructor]. split; [discriminate|]. constructor; [simpl; lia|constructor]. }
  constructor; [constructor; [|constructor]|constructor; [constructor; [|constructor]|constructor]];
    apply One; auto; apply Against.
Qed.

Lemma set_example_family : @family with_sets example_sources set_queues
  (map (@fresh integers precedes precedes_orders) [set_a1; set_a2; set_b3; set_b4]).
Proof.
  assert (Le : forall x y, (x <=? y) = true -> x <= y) by (intros; apply Z.leb_le; auto).
  constructor.
  - intros [|[|q]]; simpl; repeat split; auto; repeat constructor; apply Le; reflexivity.
  - intros [|[|t]] q I; simpl in I; [destruct I as [<-|[]]|destruct I as [<-|[]]|contradiction];
      [exists [sent 0 set_a1; sent 2 set_a2], set_end|exists [sent 1 set_b3; sent 1 set_b4], set_end];
      (split; [reflexivity|repeat constructor; apply Le; reflexivity]).
  - intros [|[|t]] q I; simpl in I; [destruct I as [<-|[]]|destruct I as [<-|[]]|contradiction]; repeat constructor.
  - intros [|[|t]]; simpl; auto.
Qed.

(* So it is for the example (specification: sound-agrees): every run that rests, whatever its schedule. *)
Theorem the_theorem_with_sets_is_about_something : forall c,
  reaches (graph set_built) (fun _ => unlimited) (start (graph set_built) (heard_queues set_queues)) c ->
  final (graph set_built) (fun _ => unlimited) c ->
  Forall2 (fun i r => Permutation (map (@reported_match integers precedes precedes_orders) (reported (state c i))) r)
    (ends set_built) (@meaning_with_sets integers precedes set_example [set_a1; set_a2; set_b3; set_b4]).
Proof.
  intros. apply every_run_that_rests_has_reported_every_match_with_its_sets with (reach := 10)
    (queues_of := example_sources) (queues := set_queues); auto.
  - apply set_example_checked.
  - apply set_example_related.
  - reflexivity.
  - apply set_example_family.
Qed.

(* And it computes (specification: sound-agrees): one A with two B, in the order of their timestamps; and its event with
   the one that the set does not leave out. *)
Theorem the_example_with_sets_runs :
  let numbers m := (map id (fst m), map (map id) (snd m)) in
  let net := graph set_built in
  let c := after_steps net (fun _ => unlimited) (all_actions net [0; 2]%nat) 400
    (@start with_sets net (heard_queues set_queues)) in
  map (fun i => map (fun v => numbers (@reported_match integers precedes precedes_orders v)) (reported (state c i)))
    (ends set_built) = [[([1], [[4; 3]])]; [([1143], [[3]])]]
  /\ map (map numbers) (@meaning_with_sets integers precedes set_example [set_a1; set_a2; set_b3; set_b4])
    = [[([1], [[4; 3]])]; [([1143], [[3]])]].
Proof. split; vm_compute; reflexivity. Qed.

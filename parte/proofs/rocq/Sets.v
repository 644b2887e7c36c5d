(* The theorems about programs with sets, without what the machine does with them: a rule is what its patterns, `having`
   and emissions say of its positive events and of the sets beside them. Events that carry their sets are built here, of
   events that carry none and a total order of them; a match is named by its positive events. *)
From Parte Require Export Silence.

Section Sets.
Context {E : Events}.

(* ---- Finite sets, each as the list of its elements in order ----------------------------------------------------- *)

Variable precedes : event -> event -> bool.
Record total_order : Prop := TotalOrder {
  it_is_total : forall x y, precedes x y = true \/ precedes y x = true;
  it_is_transitive : forall x y z, precedes x y = true -> precedes y z = true -> precedes x z = true;
  equals_are_one : forall x y, precedes x y = true -> precedes y x = true -> x = y }.
Hypothesis Order : total_order.

Fixpoint inserted (e : event) (s : list event) : list event :=
  match s with
  | [] => [e]
  | x :: more => if precedes x e then (if precedes e x then s else x :: inserted e more) else e :: s
  end.
Definition in_order (s : list event) : list event := fold_right inserted [] s.

Definition before (x y : event) : Prop := precedes x y = true /\ precedes y x = false.
Fixpoint ascending (s : list event) : Prop :=
  match s with [] => True | x :: more => Forall (before x) more /\ ascending more end.

Lemma before_not_twice : forall x y, before x y -> before y x -> False.
Proof. intros x y [A _] [_ B]. congruence. Qed.
Lemma before_trans : forall x y z, before x y -> before y z -> before x z.
Proof.
  intros x y z [A A'] [B B']. split; [eapply it_is_transitive; eauto|].
  destruct (precedes z x) eqn:C; auto. assert (precedes z y = true) by (eapply it_is_transitive; eauto). congruence.
Qed.

Lemma inserted_in : forall e s x, In x (inserted e s) <-> x = e \/ In x s.
Proof.
  intros e. induction s as [|y s IH]; simpl; intros x; [intuition|].
  destruct (precedes y e) eqn:A; [destruct (precedes e y) eqn:B|]; simpl.
  - assert (e = y) by (eapply equals_are_one; eauto). subst. intuition.
  - rewrite IH. tauto.
  - intuition.
Qed.
Lemma in_order_in : forall s x, In x (in_order s) <-> In x s.
Proof. induction s as [|y s IH]; simpl; intros x; [tauto|]. rewrite inserted_in, IH. intuition. Qed.

Lemma inserted_ascending : forall e s, ascending s -> ascending (inserted e s).
Proof.
  intros e. induction s as [|y s IH]; simpl; intros H; auto. destruct H as [F H].
  destruct (precedes y e) eqn:A; [destruct (precedes e y) eqn:B|].
  - simpl. auto.
  - simpl. split; auto. apply Forall_forall. intros x I. apply inserted_in in I as [->|I]; [split; auto|].
    rewrite Forall_forall in F. auto.
  - assert (B : before e y). { destruct (it_is_total Order y e); [congruence|]. split; auto. }
    simpl. split; [|auto]. constructor; auto. eapply Forall_impl; [|exact F]. intros x Bx. eapply before_trans; eauto.
Qed.
Lemma in_order_ascending : forall s, ascending (in_order s).
Proof. induction s; simpl; auto. apply inserted_ascending. auto. Qed.

Lemma ascending_lists_of_the_same : forall s s', ascending s -> ascending s' -> (forall x, In x s <-> In x s') -> s =
  s'.
Proof.
  induction s as [|x s IH]; intros [|y s'] A A' H; auto.
  - exfalso. apply (H y). simpl. auto.
  - exfalso. apply (H x). simpl. auto.
  - destruct A as [F A], A' as [F' A']. rewrite Forall_forall in F, F'.
    assert (x = y).
    { assert (I : In x (y :: s')) by (apply H; simpl; auto). assert (J : In y (x :: s)) by (apply H; simpl; auto).
      destruct I as [I|I]; auto. destruct J as [J|J]; auto. exfalso. apply (before_not_twice x y); auto. }
    subst y. f_equal. apply IH; auto. intros z. specialize (H z). simpl in H. split; intros I.
    + destruct (proj1 H (or_intror I)) as [<-|]; auto. exfalso. apply (before_not_twice x x); auto.
    + destruct (proj2 H (or_intror I)) as [<-|]; auto. exfalso. apply (before_not_twice x x); auto.
Qed.
Lemma in_order_same : forall s s', (forall x, In x s <-> In x s') -> in_order s = in_order s'.
Proof.
  intros s s' H. apply ascending_lists_of_the_same; try apply in_order_ascending. intros x. rewrite !in_order_in. auto.
Qed.

(* ---- Events that carry sets ------------------------------------------------------------------------------------- *)

Definition carrying : Events.
Proof.
  refine {| event := event * list (list event); template := fun e => template (fst e); time := fun e => time (fst e);
     horizon := horizon; infinity := infinity;
     with_set := fun e s => (fst e, snd e ++ [in_order (map fst s)]);
     within_horizon := fun e => within_horizon (fst e); infinity_beyond := infinity_beyond |}.
  - auto.
  - intros e s s' H. f_equal. f_equal. f_equal. apply in_order_same. intros x. rewrite !in_map_iff.
    split; intros (y & Eq & I); exists y; (split; [auto|]); apply H; auto.
  - intros [e l] s [e' l'] s' H. inversion H as [[He Hl]]. apply app_inj_tail in Hl as [-> _]. auto.
Defined.
Notation carrier := (@event carrying).
Definition fresh (e : event) : carrier := (e, []).
Definition bare (v : list carrier) : list event := map fst v.
Definition sets_of (v : list carrier) : list (list event) := match v with e :: _ => snd e | [] => [] end.
Definition carried (v : list event) (s : list (list event)) : list carrier :=
  match v with e :: more => (e, s) :: map fresh more | [] => [] end.

Lemma bare_fresh : forall v, bare (map fresh v) = v.
Proof. intros. unfold bare. rewrite map_map. apply map_id. Qed.
Lemma bare_carried : forall v s, bare (carried v s) = v.
Proof. destruct v as [|e v]; simpl; intros; auto. f_equal. apply bare_fresh. Qed.
Lemma times_carried : forall v s, times (E := carrying) (carried v s) = times v.
Proof.
  unfold times. destruct v as [|e v]; simpl; intros; auto. f_equal. rewrite map_map. auto.
Qed.
Lemma bare_app : forall a b, bare (a ++ b) = bare a ++ bare b.
Proof. intros. apply map_app. Qed.

(* ---- Rules with sets --------------------------------------------------------------------------------------------
   `having` and emissions are any functions of the positive events and the sets, in the order of the patterns; `having`
   may have no value. *)
Record emission_with_sets := EmissionWithSets {
  s_emits : nat; s_generate : partial -> list (list event) -> option event; s_at : list Z -> Z; s_lag : Z }.
Record rule_with_sets := RuleWithSets {
  s_first : nat; s_first_own : event -> bool; s_links : list written_link; s_when : list constraint;
  s_sets : list written_link; s_having : option (partial -> list (list event) -> option bool);
  s_emissions : list emission_with_sets }.
Record stratum_with_sets := StratumWithSets { s_templates : list nat; s_rules : list rule_with_sets }.
Definition program_with_sets := list stratum_with_sets.

Section Meaning.
Variable stream : list event.

(* The matches of its positive and negated patterns, by definition 12. *)
Definition positive_matches (r : rule_with_sets) : list partial :=
  evaluate stream (matched_as_written (without_sets (s_first r) (s_first_own r) (s_links r) (s_when r) [])).
(* All events of a template that meet the conditions and constraints with them. *)
Definition set_beside (v : partial) (l : written_link) : list event :=
  in_order (set_in stream (w_template l) (beside_as_written (length v) l) v).
Definition sets_beside (r : rule_with_sets) (v : partial) : list (list event) := map (set_beside v) (s_sets r).
Definition is_true (b : option bool) : bool := match b with Some true => true | _ => false end.
Definition has (r : rule_with_sets) (v : partial) : bool :=
  match s_having r with Some h => is_true (h v (sets_beside r v)) | None => true end.
Definition matches_of (r : rule_with_sets) : list (partial * list (list event)) :=
  map (fun v => (v, sets_beside r v)) (filter (has r) (positive_matches r)).
Definition emitted_with_sets (r : rule_with_sets) : list event :=
  flat_map (fun m => flat_map (fun match_ => match s_generate m (fst match_) (snd match_) with
    Some e => [e] | None => [] end) (matches_of r)) (s_emissions r).
End Meaning.

(* What each rule means, the lowest stratum first. *)
Fixpoint meaning_with_sets (p : program_with_sets) (stream : list event) : list (list (partial * list (list event))) :=
  match p with
  | [] => []
  | s :: above => map (matches_of stream) (s_rules s)
      ++ meaning_with_sets above (stream ++ flat_map (emitted_with_sets stream) (s_rules s))
  end.

(* What each rule emits, the lowest stratum first. *)
Fixpoint emitted_meaning_with_sets (p : program_with_sets) (stream : list event) : list (list event) :=
  match p with
  | [] => []
  | s :: above => map (emitted_with_sets stream) (s_rules s)
      ++ emitted_meaning_with_sets above (stream ++ flat_map (emitted_with_sets stream) (s_rules s))
  end.
Definition counts_with_sets (p : program_with_sets) : list nat :=
  flat_map (fun s => map (fun r => length (s_emissions r)) (s_rules s)) p.

(* The elements of a set, which is a list in order (specification: sets). *)
Theorem a_set_has_exactly_the_events_beside_a_match : forall stream v l e, In e (set_beside stream v l) <->
  In e stream /\ template e = w_template l /\ w_own l e = true /\ w_joint l (v ++ [e]) = true /\
  Forall (fun a => fst (snd a) <= time e - at_ (v ++ [e]) (fst a) <= snd (snd a)) (w_against l).
Proof.
  intros. unfold set_beside. rewrite in_order_in. unfold set_in, beside_as_written. rewrite !filter_In, Nat.eqb_eq.
  rewrite skipn_app, skipn_all, Nat.sub_diag. simpl. rewrite !andb_true_iff, forallb_forall, Forall_forall.
  assert (At : at_ (v ++ [e]) (length v) = time e).
  { unfold at_, times. rewrite map_app, app_nth2; rewrite map_length; auto. rewrite Nat.sub_diag. auto. }
  assert (M : (forall a, In a (w_against l) ->
      meets_against (fun t => at_ (v ++ [e]) (length v) - t) (v ++ [e]) a = true) <->
    (forall a, In a (w_against l) -> fst (snd a) <= time e - at_ (v ++ [e]) (fst a) <= snd (snd a))).
  { split; intros H a I; specialize (H a I); unfold meets_against, between_times in *; rewrite At in *.
    - rewrite andb_true_iff, !Z.leb_le in H. auto.
    - rewrite andb_true_iff, !Z.leb_le. auto. }
  rewrite M. tauto.
Qed.

(* Specification: production-bound. So `at` may be the least or the greatest timestamp of a set: it is at least the
   opening of the window, which a bound on positive events gives. *)
Theorem no_event_of_a_set_is_before_its_window : forall stream v l e a, In e (set_beside stream v l) ->
  In a (w_against l) -> (fst a < length v)%nat -> at_ v (fst a) + fst (snd a) <= time e.
Proof.
  intros stream v l e a I J L. apply a_set_has_exactly_the_events_beside_a_match in I as (_ & _ & _ & _ & F).
  rewrite Forall_forall in F. specialize (F a J). rewrite at_app_left in F by auto. lia.
Qed.

(* Specification: having, meaning-negation. `no v` is `all v` with `count(v) = 0`. *)
Theorem no_is_all_with_a_count_of_zero : forall stream p l, width p <> 0%nat ->
  evaluate stream (Negation p (Binding (w_template l)) (beside_as_written (width p) l)) =
  filter (fun v => Nat.eqb (length (set_beside stream v l)) 0) (evaluate stream p).
Proof.
  intros stream p l _. simpl. apply filter_ext_in. intros v I. apply evaluate_width in I.
  unfold set_beside. rewrite I. set (c := beside_as_written (width p) l).
  apply eq_true_iff_eq. rewrite forallb_forall, Nat.eqb_eq. split.
  - intros H. destruct (in_order (set_in stream (w_template l) c v)) as [|e s] eqn:Q; auto. exfalso.
    assert (J : In e (set_in stream (w_template l) c v)) by (apply in_order_in; rewrite Q; simpl; auto).
    unfold set_in in J. apply filter_In in J as [J C]. specialize (H [e]). rewrite C in H. discriminate H.
    unfold of. apply in_map_iff. exists e. auto.
  - intros H b J. unfold of in J. apply in_map_iff in J as (e & <- & J). destruct (c (v ++ [e])) eqn:C; auto.
    exfalso. apply length_zero_iff_nil in H.
    assert (K : In e (in_order (set_in stream (w_template l) c v))).
    { apply in_order_in. unfold set_in. apply filter_In. auto. }
    rewrite H in K. contradiction.
Qed.

(* ---- As rules of the machine ------------------------------------------------------------------------------------ *)

Definition lifted_link (l : written_link) : @written_link carrying :=
  @WrittenLink carrying (w_negated l) (w_template l) (fun e => w_own l (fst e)) (fun v => w_joint l (bare v))
    (w_against l).
Definition lifted_emission (m : emission_with_sets) : @emission carrying :=
  @Emission carrying (s_emits m) (fun v => option_map fresh (s_generate m (bare v) (sets_of v))) (s_at m) (s_lag m).
Definition lifted (r : rule_with_sets) : @written carrying :=
  @Written carrying (s_first r) (fun e => s_first_own r (fst e)) (map lifted_link (s_links r)) (s_when r)
    (map lifted_link (s_sets r)) (option_map (fun h v => is_true (h (bare v) (sets_of v))) (s_having r))
    (map lifted_emission (s_emissions r)).
Definition lifted_program (p : program_with_sets) : list (@written_stratum carrying) :=
  map (fun s => @WrittenStratum carrying (s_templates s) (map lifted (s_rules s))) p.

Section Lifting.
Variable stream : list event.
Notation evaluate' := (@evaluate carrying (map fresh stream)).

Lemma of_lifted : forall n, @of carrying n (map fresh stream) = map (map fresh) (of n stream).
Proof. intros. unfold of. rewrite filter_of_map, !map_map. auto. Qed.

(* A condition that reads no sets. *)
Definition blind (c' : list carrier -> bool) (c : partial -> bool) : Prop := forall v, c' v = c (bare v).

Lemma filter_lifted : forall c' c l, blind c' c -> filter c' (map (map fresh) l) = map (map fresh) (filter c l).
Proof.
  intros c' c l B. rewrite filter_of_map. f_equal. apply filter_ext. intros v. rewrite B, bare_fresh. auto.
Qed.
Lemma product_lifted : forall a b : list partial,
  map (fun ab : list carrier * list carrier => fst ab ++ snd ab) (list_prod (map (map fresh) a) (map (map fresh) b))
  = map (map fresh) (map (fun ab => fst ab ++ snd ab) (list_prod a b)).
Proof.
  induction a as [|x a IH]; simpl; intros b; auto. rewrite !map_app, IH. f_equal. rewrite !map_map.
  apply map_ext. intros y. simpl. symmetry. apply map_app.
Qed.
Lemma negation_lifted : forall c' c (l n : list partial), blind c' c ->
  filter (fun v => forallb (fun b => negb (c' (v ++ b))) (map (map fresh) n)) (map (map fresh) l)
  = map (map fresh) (filter (fun v => forallb (fun b => negb (c (v ++ b))) n) l).
Proof.
  intros c' c l n B. rewrite filter_of_map. f_equal. apply filter_ext. intros v.
  induction n as [|b n IH]; simpl; auto. f_equal; [|exact IH]. rewrite B, bare_app, !bare_fresh. auto.
Qed.

Lemma meets_lifted : forall own, blind (@first_own_of carrying (fun e => own (fst e))) (first_own_of own).
Proof. intros own [|e v]; auto. Qed.
Lemma skipn_bare : forall n v, bare (skipn n v) = skipn n (bare v).
Proof. intros. unfold bare. symmetry. apply skipn_map. Qed.
Lemma at_lifted : forall (v : list carrier) i, @at_ carrying v i = at_ (bare v) i.
Proof. intros. unfold at_, times, bare. rewrite map_map. auto. Qed.
Lemma beside_lifted : forall n l, blind (@beside_as_written carrying n (lifted_link l)) (beside_as_written n l).
Proof.
  intros n l v. unfold beside_as_written. f_equal; [|f_equal].
  - simpl. rewrite (meets_lifted (w_own l)), skipn_bare. auto.
  - simpl. apply forallb_same. intros a _. unfold meets_against. rewrite !at_lifted. auto.
Qed.
Lemma when_lifted : forall cs : list constraint, blind (fun v => forallb (fun c => @holds carrying c v) cs)
  (fun v => forallb (fun c => holds c v) cs).
Proof. intros cs v. apply forallb_same. intros c _. unfold holds. rewrite !at_lifted. auto. Qed.

Lemma single_lifted : forall t own,
  evaluate' (@single carrying t (fun e => own (fst e))) = map (map fresh) (evaluate stream (single t own)).
Proof. intros. simpl. rewrite of_lifted. apply filter_lifted, meets_lifted. Qed.

Lemma chain_lifted : forall ls n p' p, evaluate' p' = map (map fresh) (evaluate stream p) ->
  evaluate' (fold_left (@alinked carrying) (@all_as_written carrying n (map lifted_link ls)) p')
  = map (map fresh) (evaluate stream (fold_left alinked (all_as_written n ls) p)).
Proof.
  induction ls as [|l ls IH]; simpl; intros n p' p H; auto. apply IH. unfold alinked. simpl.
  destruct (w_negated l); simpl; rewrite H.
  - rewrite of_lifted. apply negation_lifted, beside_lifted.
  - pose proof (single_lifted (w_template l) (w_own l)) as S. simpl in S. rewrite S, product_lifted.
    apply filter_lifted. intros v. auto.
Qed.

Lemma positives_lifted : forall ls n, @positives carrying n (map lifted_link ls) = positives n ls.
Proof. induction ls as [|l ls IH]; simpl; intros; auto. Qed.

Lemma matched_lifted : forall r, evaluate' (@matched_as_written carrying (lifted r))
  = map (fun v => carried v []) (positive_matches stream r).
Proof.
  intros r. assert (C : forall v, carried v [] = map fresh v) by (destruct v; auto).
  rewrite (map_ext (fun v => carried v []) (map fresh) C). unfold positive_matches, matched_as_written. simpl.
  rewrite (chain_lifted (s_links r) 1 _ (single (s_first r) (s_first_own r))) by apply single_lifted.
  apply filter_lifted, when_lifted.
Qed.

Lemma set_lifted : forall t (c' : list carrier -> bool) c v s, blind c' c ->
  map fst (@set_in carrying (map fresh stream) t c' (carried v s)) = set_in stream t c v.
Proof.
  intros t c' c v s B. unfold set_in. rewrite !filter_of_map, map_map. simpl. rewrite map_id.
  apply filter_ext. intros e. rewrite B, bare_app, bare_carried. auto.
Qed.

Lemma with_set_carried : forall v s (t : list carrier), @with_set_of carrying (carried v s) t
  = carried v (s ++ [in_order (map fst t)]).
Proof. intros. destruct v; auto. Qed.

Lemma sets_lifted : forall n ls p' (vs : list partial), evaluate' p' = map (fun v => carried v []) vs ->
  Forall (fun v => length v = n) vs ->
  evaluate' (fold_left (@collected_as_written carrying n) (map lifted_link ls) p')
  = map (fun v => carried v (map (set_beside stream v) ls)) vs.
Proof.
  intros n ls p' vs H W. induction ls as [|l ls IH] using rev_ind; auto.
  rewrite map_app, fold_left_app. simpl. refine (eq_trans (f_equal (map _) IH) _). rewrite map_map. apply map_ext_in.
    intros v I.
  rewrite Forall_forall in W. rewrite with_set_carried, map_app. simpl. f_equal. f_equal. f_equal.
  unfold set_beside. rewrite (set_lifted _ _ (beside_as_written n l)) by apply beside_lifted. rewrite (W v I). auto.
Qed.

Lemma positive_widths : forall r, Forall (fun v => length v = positives 1 (s_links r)) (positive_matches stream r).
Proof.
  intros r. apply Forall_forall. intros v I. unfold positive_matches, matched_as_written in I. simpl in I.
  apply filter_In in I as [I _]. rewrite chain_is_one_filter in I. apply filter_In in I as [I _].
  pose proof (tuples_widths stream (all_as_written 1 (s_links r)) 1 _ (single_widths stream (s_first r) (s_first_own
    r)))
    as F.
  rewrite Forall_forall, positives_width in F. apply F. exact I.
Qed.
Lemma positives_some : forall ls n, (0 < n)%nat -> (0 < positives n ls)%nat.
Proof. intros ls n L. pose proof (positives_ge ls n). lia. Qed.

Lemma rule_lifted : forall r, @values_of carrying (map fresh stream) (lifted r)
  = map (fun m => carried (fst m) (snd m)) (matches_of stream r).
Proof.
  intros r. unfold values_of, pattern_of_written.
  assert (S : evaluate' (fold_left (@collected_as_written carrying (positives 1 (w_links (lifted r)))) (w_sets
    (lifted r))
      (matched_as_written (lifted r))) = map (fun v => carried v (sets_beside stream r v)) (positive_matches stream r)).
  { simpl w_links. simpl w_sets. rewrite positives_lifted. apply sets_lifted; [apply matched_lifted|].
    apply positive_widths. }
  unfold matches_of. rewrite map_map. simpl fst. simpl snd.
  assert (Has : forall v, In v (positive_matches stream r) -> sets_of (carried v (sets_beside stream r v))
    = sets_beside stream r v).
  { intros v I. pose proof (positive_widths r) as W. rewrite Forall_forall in W. specialize (W v I).
    pose proof (positives_some (s_links r) 1 ltac:(lia)). destruct v; simpl in *; [lia|auto]. }
  unfold filtered, has. simpl w_having. destruct (s_having r) as [h|]; simpl option_map; cbv iota.
  - refine (eq_trans (f_equal (filter _) S) _). rewrite filter_of_map. f_equal. apply filter_ext_in. intros v I.
    rewrite bare_carried, Has; auto.
  - refine (eq_trans S _). rewrite filter_all; auto. apply Forall_forall. auto.
Qed.

Lemma one_lifted : forall o : option event,
  match option_map fresh o with Some e => [e] | None => [] end = map fresh (match o with Some e => [e] | None => []
    end).
Proof. destruct o; auto. Qed.

Lemma emitted_lifted : forall r, @emitted_by_rule carrying (map fresh stream) (lifted r)
  = map fresh (emitted_with_sets stream r).
Proof.
  intros r. unfold emitted_by_rule, emitted_with_sets. rewrite rule_lifted. simpl w_emissions.
  assert (Some_event : forall m, In m (matches_of stream r) -> sets_of (carried (fst m) (snd m)) = snd m).
  { intros [v s] I. unfold matches_of in I. apply in_map_iff in I as (u & Eq & I). inversion Eq; subst.
    apply filter_In in I as [I _]. pose proof (positive_widths r) as W. rewrite Forall_forall in W. specialize (W v I).
    pose proof (positives_some (s_links r) 1 ltac:(lia)). destruct v; simpl in *; [lia|auto]. }
  induction (s_emissions r) as [|m ms IH]; simpl; auto.
  refine (eq_trans (f_equal2 (@app _) _ IH) (eq_sym (map_app fresh _ _))). clear IH. unfold emitted_by.
  induction (matches_of stream r) as [|x l IHl]; simpl; auto.
  refine (eq_trans (f_equal2 (@app _) _ (IHl _)) (eq_sym (map_app fresh _ _))).
  - rewrite bare_carried, Some_event by (simpl; auto). apply one_lifted.
  - intros y I. apply Some_event. simpl. auto.
Qed.
End Lifting.

Lemma emitted_by_all_lifted : forall stream rs,
  flat_map (@emitted_by_rule carrying (map fresh stream)) (map lifted rs)
  = map fresh (flat_map (emitted_with_sets stream) rs).
Proof.
  intros stream. induction rs as [|r rs IH]; auto.
  exact (eq_trans (f_equal2 (@app _) (emitted_lifted stream r) IH) (eq_sym (map_app fresh _ _))).
Qed.

Lemma program_lifted : forall p stream, @meaning carrying (lifted_program p) (map fresh stream)
  = map (map (fun m => carried (fst m) (snd m))) (meaning_with_sets p stream).
Proof.
  induction p as [|s p IH]; intros stream; auto.
  refine (eq_trans (f_equal2 (@app _) _ _) (eq_sym (map_app _ _ _))).
  - simpl. rewrite !map_map. apply map_ext. intros r. apply rule_lifted.
  - rewrite <- IH. exact (f_equal (@meaning carrying (lifted_program p))
      (eq_trans (f_equal (app _) (emitted_by_all_lifted stream (s_rules s))) (eq_sym (map_app fresh _ _)))).
Qed.

Lemma emissions_lifted : forall p stream, @emitted_meaning carrying (lifted_program p) (map fresh stream)
  = map (map fresh) (emitted_meaning_with_sets p stream).
Proof.
  induction p as [|s p IH]; intros stream; auto.
  refine (eq_trans (f_equal2 (@app _) _ _) (eq_sym (map_app _ _ _))).
  - simpl. rewrite !map_map. apply map_ext. intros r. apply emitted_lifted.
  - rewrite <- IH. exact (f_equal (@emitted_meaning carrying (lifted_program p))
      (eq_trans (f_equal (app _) (emitted_by_all_lifted stream (s_rules s))) (eq_sym (map_app fresh _ _)))).
Qed.
Lemma counts_lifted : forall p, @written_counts carrying (lifted_program p) = counts_with_sets p.
Proof.
  unfold written_counts, counts_with_sets. induction p as [|s p IH]; simpl; auto. rewrite IH, map_map. f_equal.
  apply map_ext. intros r. simpl. apply map_length.
Qed.

(* ---- The theorems ----------------------------------------------------------------------------------------------- *)

Definition reported_match (v : list carrier) : partial * list (list event) := (bare v, sets_of v).

Lemma widths_of_meaning : forall p stream, Forall (Forall (fun m => fst m <> [])) (meaning_with_sets p stream).
Proof.
  induction p as [|s p IH]; simpl; intros stream; [constructor|]. apply Forall_app. split; auto.
  apply Forall_map, Forall_forall. intros r _. apply Forall_forall. intros [v x] I.
  unfold matches_of in I. apply in_map_iff in I as (u & Eq & I). inversion Eq; subst. apply filter_In in I as [I _].
  pose proof (positive_widths stream r) as W. rewrite Forall_forall in W. specialize (W v I).
  pose proof (positives_some (s_links r) 1 ltac:(lia)). simpl. intros ->. simpl in W. lia.
Qed.
Lemma reported_carried : forall l : list (partial * list (list event)), Forall (fun m => fst m <> []) l ->
  map reported_match (map (fun m => carried (fst m) (snd m)) l) = l.
Proof.
  intros l F. rewrite map_map. rewrite <- (map_id l) at 2. apply map_ext_in. intros [[|e v] s] I.
  - rewrite Forall_forall in F. exfalso. apply (F _ I). auto.
  - unfold reported_match. simpl. unfold bare. rewrite map_map, map_id. auto.
Qed.

Variables (queues_of : nat -> list nat) (reach : Z) (p : program_with_sets).
Let compiled_program := @compile carrying (heard queues_of (closed_program (lifted_program p)))
  (closed_program (lifted_program p)).
Let net := graph compiled_program.
Hypothesis Checked : @checked_but_for_sources carrying (closed_program (lifted_program p)) reach.
Hypothesis Related : @all_related carrying (lifted_program p).
Hypothesis Far : @horizon E + reach + lags net (length net) < @infinity E.

Definition emitted_events_at (s : nat -> list (@token carrying)) (js : list nat) : list event :=
  map fst (@emitted_at carrying s js).

(* Of every machine of Weakened.v, in the end and before. *)
Lemma rules_with_sets_observed : forall all before after stream limit x, stage net all before after x ->
  @family carrying queues_of after (map fresh stream) -> leads_to net limit (loose_start net (heard_queues before)) x ->
  Forall2 (fun i r => covers all (map reported_match (reported (state (plain x) i))) r) (ends compiled_program)
    (meaning_with_sets p stream) /\
  Forall2 (fun js es => covers all (emitted_events_at (sent x) js) es)
    (productions (ends compiled_program) (counts_with_sets p)) (emitted_meaning_with_sets p stream).
Proof.
  intros all before after stream limit x S F R.
  destruct (@heard_rules_observed carrying queues_of reach (lifted_program p) Checked Related Far all before after
    (map fresh stream) limit x S F R) as [A B].
  rewrite program_lifted in A. rewrite emissions_lifted, counts_lifted in B. fold compiled_program in A, B. split.
  - pose proof (widths_of_meaning p stream) as W. revert A W.
    generalize (ends compiled_program) as is. induction (meaning_with_sets p stream) as [|m ms IH]; intros is A W;
      simpl in A; inversion A as [|? ? ? ? P A']; subst; constructor; inversion W; subst; auto.
    apply (covers_map all _ _ reported_match) in P. rewrite reported_carried in P; auto.
  - revert B. generalize (productions (ends compiled_program) (counts_with_sets p)) as jss.
    induction (emitted_meaning_with_sets p stream) as [|es ess IH]; intros jss B; simpl in B;
      inversion B as [|? ? ? ? P B']; subst; constructor; auto.
    apply (covers_map all _ _ fst) in P. rewrite map_map in P. simpl in P. rewrite map_id in P. exact P.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees): with sets, each rule has reported in the end exactly its
   matches, each once, and with each the sets that `having` and the emissions have read. *)
Theorem every_run_that_rests_has_reported_every_match_with_its_sets : forall queues stream,
  @family carrying queues_of queues (map fresh stream) -> forall c,
  reaches net (fun _ => unlimited) (start net (heard_queues queues)) c -> final net (fun _ => unlimited) c ->
  Forall2 (fun i r => Permutation (map reported_match (reported (state c i))) r) (ends compiled_program)
    (meaning_with_sets p stream).
Proof.
  intros queues stream F c R Fi. pose proof (a_final_run_is_rested _ _ c R Fi) as Rest.
  apply a_run_has_sent_something in R as [s R].
  destruct (a_run_as_one net true _ _ _ c s R (conj eq_refl Rest)) as (k & L & [_ S]).
  exact (proj1 (rules_with_sets_observed true queues queues _ _ _ (conj eq_refl S) F L)).
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, production-bound): and emitted what it emits. *)
Theorem every_run_that_rests_has_emitted_what_the_matches_with_sets_emit : forall queues stream,
  @family carrying queues_of queues (map fresh stream) -> forall c s,
  runs net (fun _ => unlimited) (start net (heard_queues queues)) c s -> final net (fun _ => unlimited) c ->
  Forall2 (fun js es => Permutation (emitted_events_at s js) es)
    (productions (ends compiled_program) (counts_with_sets p)) (emitted_meaning_with_sets p stream).
Proof.
  intros queues stream F c s R Fi.
  assert (Rest : rested c) by (eapply a_final_run_is_rested; eauto; apply a_run_has_sent_something; eauto).
  destruct (a_run_as_one net true _ _ _ c s R (conj eq_refl Rest)) as (k & L & [_ S]).
  exact (proj2 (rules_with_sets_observed true queues queues _ _ _ (conj eq_refl S) F L)).
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, terminal-nodes): at every moment, with any capacities. *)
Theorem no_match_with_sets_is_reported_early : forall before after stream,
  (forall q, exists more, after q = before q ++ more) -> @family carrying queues_of after (map fresh stream) ->
  forall limit c, reaches net limit (start net (heard_queues before)) c ->
  Forall2 (fun i r => exists more, Permutation (map reported_match (reported (state c i)) ++ more) r)
    (ends compiled_program) (meaning_with_sets p stream).
Proof.
  intros before_ after stream C F limit c R. apply a_run_has_sent_something in R as [s R].
  destruct (every_run_is_one_that_weakens_nothing net limit _ c s R) as (k & L & _).
  exact (proj1 (rules_with_sets_observed false before_ after _ _ _ C F L)).
Qed.

End Sets.
